package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-main-task.evp. A task of the main thread never returns, so no
 * event starts after it. The tasks that `click` posted before conflict because of what it wrote.
 */
public class EndlessMainTask {
    static boolean ready;
    static boolean shown;
    static Driver driver;

    static void load() {
        Tasks.main(EndlessMainTask::poll);
    }

    static void poll() {
        ready = true;
        driver.assume(false);
    }

    static void click() {
        Tasks.any(EndlessMainTask::look);
    }

    static void look() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessMainTask::mark);
            Tasks.any(EndlessMainTask::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        driver = d;
        Driver.Event a = d.event("a", EndlessMainTask::load);
        d.event("b", EndlessMainTask::click).afterStart(a);
    }
}
