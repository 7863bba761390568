package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/fig7a.evp. Fig. 7(a): two tasks of one event write the same variable.
 */
public class Fig7a {
    static boolean x;

    static void e() {
        Tasks.any(Fig7a::p);
        Tasks.any(Fig7a::q);
    }

    static void p() {
        x = true;
    }

    static void q() {
        x = true;
    }

    public static void main(Driver d) {
        d.event("a", Fig7a::e);
    }
}
