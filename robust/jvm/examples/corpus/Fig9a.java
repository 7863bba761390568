package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/fig9a.evp. Fig. 9(a): a conflict cycle through three events.
 */
public class Fig9a {
    static boolean x;
    static boolean z;
    static boolean y;

    static void e1() {
        x = true;
        Tasks.any(Fig9a::p);
    }

    static void p() {
        boolean seen = false;
        seen = z;
    }

    static void e2() {
        Tasks.any(Fig9a::q);
    }

    static void q() {
        y = true;
        x = true;
    }

    static void e3() {
        boolean seen = false;
        seen = y;
        z = true;
    }

    public static void main(Driver d) {
        d.event("a", Fig9a::e1);
        d.event("b", Fig9a::e2);
        d.event("c", Fig9a::e3);
    }
}
