package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-leaves-range.evp. Like endless-poll-blocks, but the task
 * stops at a value outside the range of its variable.
 */
public class EndlessPollLeavesRange {
    static boolean ready;
    static boolean shown;
    static Driver driver;

    static void load() {
        Tasks.any(EndlessPollLeavesRange::poll);
    }

    static void poll() {
        int tries = 2;
        ready = true;
        tries++;
        driver.assume(tries <= 2);
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollLeavesRange::mark);
            Tasks.any(EndlessPollLeavesRange::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        driver = d;
        Driver.Event a = d.event("a", EndlessPollLeavesRange::load);
        d.event("b", EndlessPollLeavesRange::click).afterStart(a);
    }
}
