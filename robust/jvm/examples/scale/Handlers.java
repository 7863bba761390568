package scale;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/** How the number of runs grows with the number of events. */
public class Handlers {
    private Handlers() {}

    /** Seven events that share nothing. */
    public static class SevenIndependent {
        public static void main(Driver driver) {
            int[] own = new int[7];
            for (int i = 0; i < 7; i++) {
                int me = i;
                driver.event("e" + i, () -> {
                    own[me]++;
                    Tasks.any(() -> own[me]++);
                });
            }
        }
    }

    /** Seven events whose handlers all write the same ten elements. */
    public static class SevenConflicting {
        public static void main(Driver driver) {
            int[] shared = new int[10];
            for (int i = 0; i < 7; i++) {
                driver.event("e" + i, () -> {
                    for (int k = 0; k < shared.length; k++) {
                        shared[k]++;
                    }
                });
            }
        }
    }

    /** The same beside an event that posts: each handler may then be stopped, which takes a minute to explore. */
    public static class SevenConflictingAndPost {
        public static void main(Driver driver) {
            SevenConflicting.main(driver);
            driver.event("post", () -> Tasks.any(() -> {}));
        }
    }
}
