package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/countdown-mutant.evp. The mutant of countdown: two rounds at a time
 * step over zero.
 */
public class CountdownMutant {
    static boolean shown;
    static Driver driver;

    static void start() {
        int rounds = driver.any(4);
        Tasks.any(() -> poll(rounds));
        shown = true;
    }

    static void poll(int left) {
        if (left > 0) {
            Tasks.any(() -> poll(left - 2));
        }
        if (left < 0) {
            shown = false;
        }
    }

    public static void main(Driver d) {
        driver = d;
        d.event("a", CountdownMutant::start);
    }
}
