package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-blocks.evp. The background task of `load` never returns.
 * The tasks of `click` conflict because of what it wrote.
 */
public class EndlessPollBlocks {
    static boolean ready;
    static boolean shown;
    static Driver driver;

    static void load() {
        Tasks.any(EndlessPollBlocks::poll);
    }

    static void poll() {
        ready = true;
        driver.assume(false);
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollBlocks::mark);
            Tasks.any(EndlessPollBlocks::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        driver = d;
        Driver.Event a = d.event("a", EndlessPollBlocks::load);
        d.event("b", EndlessPollBlocks::click).afterStart(a);
    }
}
