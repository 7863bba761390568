package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-half-done.evp. The background task of `load` ends, but `click`
 * can see what it wrote in between.
 */
public class EndlessHalfDone {
    static boolean ready;
    static boolean shown;

    static void load() {
        Tasks.any(EndlessHalfDone::poll);
    }

    static void poll() {
        ready = true;
        ready = false;
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessHalfDone::mark);
            Tasks.any(EndlessHalfDone::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", EndlessHalfDone::load);
        d.event("b", EndlessHalfDone::click).afterStart(a);
    }
}
