package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/caller-after-callee.evp. The caller goes on after its post and writes
 * what the posted task writes.
 */
public class CallerAfterCallee {
    static boolean x;

    static void e() {
        Tasks.any(CallerAfterCallee::q);
        x = true;
    }

    static void q() {
        x = true;
    }

    public static void main(Driver d) {
        d.event("a", CallerAfterCallee::e);
    }
}
