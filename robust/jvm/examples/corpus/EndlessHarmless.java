package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-harmless.evp. The background task of `load` never returns, and
 * the tasks of `click` do not conflict.
 */
public class EndlessHarmless {
    static boolean ready;
    static boolean shown;
    static boolean logged;
    static Driver driver;

    static void load() {
        Tasks.any(EndlessHarmless::poll);
    }

    static void poll() {
        ready = true;
        driver.assume(false);
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessHarmless::mark);
            Tasks.any(EndlessHarmless::log);
        }
    }

    static void mark() {
        shown = true;
    }

    static void log() {
        logged = true;
    }

    public static void main(Driver d) {
        driver = d;
        Driver.Event a = d.event("a", EndlessHarmless::load);
        d.event("b", EndlessHarmless::click).afterStart(a);
    }
}
