package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-havoc.evp. Like endless-poll-blocks, but the task chooses
 * values for ever.
 */
public class EndlessPollHavoc {
    static boolean ready;
    static boolean shown;
    static Driver driver;

    static void load() {
        Tasks.any(EndlessPollHavoc::poll);
    }

    static void poll() {
        boolean chosen = false;
        ready = true;
        while (true) {
            chosen = driver.any(2) == 1;
        }
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollHavoc::mark);
            Tasks.any(EndlessPollHavoc::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        driver = d;
        Driver.Event a = d.event("a", EndlessPollHavoc::load);
        d.event("b", EndlessPollHavoc::click).afterStart(a);
    }
}
