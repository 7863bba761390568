package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-handler.evp. The handler of `load` never returns, so no event
 * starts after it. The tasks that `click` posted before conflict because of what it wrote.
 */
public class EndlessHandler {
    static boolean ready;
    static boolean shown;
    static Driver driver;

    static void load() {
        ready = true;
        driver.assume(false);
    }

    static void click() {
        Tasks.any(EndlessHandler::look);
    }

    static void look() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessHandler::mark);
            Tasks.any(EndlessHandler::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        driver = d;
        d.event("a", EndlessHandler::load);
        d.event("b", EndlessHandler::click);
    }
}
