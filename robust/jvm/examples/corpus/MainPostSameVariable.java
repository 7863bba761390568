package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/main-post-same-variable.evp. A task posted to the main thread starts
 * only when its caller has returned.
 */
public class MainPostSameVariable {
    static boolean y;

    static void e() {
        Tasks.main(MainPostSameVariable::p);
        y = true;
    }

    static void p() {
        y = true;
    }

    public static void main(Driver d) {
        d.event("a", MainPostSameVariable::e);
    }
}
