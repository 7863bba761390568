package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-after-end.evp. An event that waits for the end of one that
 * never ends does not happen.
 */
public class EndlessAfterEnd {
    static boolean ready;
    static boolean shown;
    static Driver driver;

    static void load() {
        Tasks.any(EndlessAfterEnd::poll);
    }

    static void poll() {
        ready = true;
        driver.assume(false);
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessAfterEnd::mark);
            Tasks.any(EndlessAfterEnd::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        driver = d;
        Driver.Event a = d.event("a", EndlessAfterEnd::load);
        d.event("b", EndlessAfterEnd::click).afterEnd(a);
    }
}
