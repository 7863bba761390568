package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/endless-poll-leaves-array.evp. Like endless-poll-blocks, but the task
 * stops at an index outside the array.
 */
public class EndlessPollLeavesArray {
    static boolean ready;
    static boolean shown;
    static boolean[] rows = new boolean[2];

    static void load() {
        Tasks.any(EndlessPollLeavesArray::poll);
    }

    static void poll() {
        int row = 2;
        ready = true;
        rows[row] = true;
    }

    static void click() {
        boolean seen = false;
        seen = ready;
        if (seen) {
            Tasks.any(EndlessPollLeavesArray::mark);
            Tasks.any(EndlessPollLeavesArray::mark);
        }
    }

    static void mark() {
        shown = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", EndlessPollLeavesArray::load);
        d.event("b", EndlessPollLeavesArray::click).afterStart(a);
    }
}
