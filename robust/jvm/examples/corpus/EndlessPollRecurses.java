package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-recurses.evp. Like endless-poll-blocks, but the task
 * recurses for ever.
 */
public class EndlessPollRecurses {
    static boolean ready;
    static boolean shown;

    static void load() {
        Tasks.any(EndlessPollRecurses::poll);
    }

    static void poll() {
        ready = true;
        block();
    }

    static void block() {
        block();
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollRecurses::mark);
            Tasks.any(EndlessPollRecurses::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", EndlessPollRecurses::load);
        d.event("b", EndlessPollRecurses::click).afterStart(a);
    }
}
