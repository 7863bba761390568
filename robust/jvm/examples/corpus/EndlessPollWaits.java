package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-waits.evp. Like endless-poll-blocks, but the task waits
 * for a Boolean that is never set.
 */
public class EndlessPollWaits {
    static boolean ready;
    static boolean shown;
    static boolean stop;

    static void load() {
        Tasks.any(EndlessPollWaits::poll);
    }

    static void poll() {
        boolean stopped = false;
        ready = true;
        while (!stopped) {
            stopped = stop;
        }
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollWaits::mark);
            Tasks.any(EndlessPollWaits::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", EndlessPollWaits::load);
        d.event("b", EndlessPollWaits::click).afterStart(a);
    }
}
