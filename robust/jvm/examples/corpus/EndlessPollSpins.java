package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-spins.evp. Like endless-poll-blocks, but the task loops
 * for ever.
 */
public class EndlessPollSpins {
    static boolean ready;
    static boolean shown;

    static void load() {
        Tasks.any(EndlessPollSpins::poll);
    }

    static void poll() {
        ready = true;
        while (true) {}
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollSpins::mark);
            Tasks.any(EndlessPollSpins::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", EndlessPollSpins::load);
        d.event("b", EndlessPollSpins::click).afterStart(a);
    }
}
