package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/main-post-reads-caller.evp. Like main-post-same-variable, but the
 * posted task reads the variable.
 */
public class MainPostReadsCaller {
    static boolean x;
    static boolean y;

    static void e() {
        Tasks.main(MainPostReadsCaller::p);
        x = true;
    }

    static void p() {
        boolean seen = false;
        seen = x;
        y = true;
    }

    public static void main(Driver d) {
        d.event("a", MainPostReadsCaller::e);
    }
}
