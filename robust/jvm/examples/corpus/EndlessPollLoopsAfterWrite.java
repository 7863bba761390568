package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-loops-after-write.evp. Like endless-poll-blocks, but the
 * task writes in the first round of a loop that it never leaves.
 */
public class EndlessPollLoopsAfterWrite {
    static boolean ready;
    static boolean shown;

    static void load() {
        Tasks.any(EndlessPollLoopsAfterWrite::poll);
    }

    static void poll() {
        boolean done = false;
        while (true) {
            if (!done) {
                ready = true;
                done = true;
            }
        }
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollLoopsAfterWrite::mark);
            Tasks.any(EndlessPollLoopsAfterWrite::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", EndlessPollLoopsAfterWrite::load);
        d.event("b", EndlessPollLoopsAfterWrite::click).afterStart(a);
    }
}
