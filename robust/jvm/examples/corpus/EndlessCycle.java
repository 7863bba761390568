package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-cycle.evp. The background task of `load` never returns.
 * Because of what it wrote, two tasks of `click` run in either order, and only the order that is not
 * depth-first leads to a cycle of `click` and `save`.
 */
public class EndlessCycle {
    static boolean ready;
    static boolean busy;
    static boolean draft;
    static boolean saved;
    static Driver driver;

    static void load() {
        Tasks.any(EndlessCycle::poll);
    }

    static void poll() {
        ready = true;
        driver.assume(false);
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessCycle::lock);
            Tasks.any(EndlessCycle::edit);
        }
    }

    static void lock() {
        boolean seen = false;
        busy = true;
        seen = saved;
    }

    static void edit() {
        boolean locked = false;
        locked = busy;
        if (!locked) {
            draft = true;
        }
    }

    static void save() {
        boolean seen = false;
        seen = draft;
        saved = true;
    }

    public static void main(Driver d) {
        driver = d;
        Driver.Event a = d.event("a", EndlessCycle::load);
        d.event("b", EndlessCycle::click).afterStart(a);
        d.event("c", EndlessCycle::save);
    }
}
