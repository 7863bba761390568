package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/countdown.evp. A background task posts itself with a counter that
 * never falls below zero, so it never writes what its event's handler writes. The number of rounds is
 * any integer: the Horn clauses prove it, no enumeration does.
 */
public class Countdown {
    static boolean shown;
    static Driver driver;

    static void start() {
        int rounds = driver.any(4);
        Tasks.any(() -> poll(rounds));
        shown = true;
    }

    static void poll(int left) {
        if (left > 0) {
            Tasks.any(() -> poll(left - 1));
        }
        if (left < 0) {
            shown = false;
        }
    }

    public static void main(Driver d) {
        driver = d;
        d.event("a", Countdown::start);
    }
}
