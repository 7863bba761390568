package odd;

import interloper.robust.Driver;
import interloper.robust.Tasks;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Programs with what a model of memory accesses does not cover, or covers only just. */
public class Odd {
    int count;
    int other;

    /** A background task draws random numbers, which are the same in each run. */
    public static class UsesRandom {
        public static void main(Driver driver) {
            Odd odd = new Odd();
            Random random = new Random();
            driver.event("a", () -> Tasks.any(() -> odd.count = random.nextInt(3)));
            driver.event("b", () -> odd.other = UUID.randomUUID().hashCode());
        }
    }

    /** The handler waits for its background task. */
    public static class WaitsForFuture {
        public static void main(Driver driver) {
            Odd odd = new Odd();
            ExecutorService pool = Executors.newCachedThreadPool();
            driver.event("a", () -> {
                Future<Integer> future = pool.submit(() -> odd.count + 1);
                try {
                    odd.other = future.get() == null ? 0 : 1;
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                }
            });
        }
    }

    /** Waits for a latch. */
    public static class WaitsForLatch {
        public static void main(Driver driver) {
            CountDownLatch latch = new CountDownLatch(1);
            driver.event("a", () -> Tasks.any(latch::countDown));
        }
    }

    /** Two tasks of an event write a field by reflection. */
    public static class Reflects {
        public static void main(Driver driver) {
            Odd odd = new Odd();
            driver.event("a", () -> {
                Tasks.any(() -> write(odd));
                Tasks.any(() -> write(odd));
            });
        }

        private static void write(Odd odd) {
            try {
                Field field = Odd.class.getDeclaredField("count");
                field.set(odd, 1);
            } catch (ReflectiveOperationException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    /** Two tasks of an event write a concurrent map. */
    public static class SharesMap {
        public static void main(Driver driver) {
            Map<String, Integer> map = new ConcurrentHashMap<>();
            driver.event("a", () -> {
                Tasks.any(() -> map.put("key", 1));
                Tasks.any(() -> map.put("key", 2));
            });
        }
    }

    /** Two tasks of an event count with an atomic integer. */
    public static class SharesAtomic {
        public static void main(Driver driver) {
            AtomicInteger counter = new AtomicInteger();
            driver.event("a", () -> {
                Tasks.any(counter::incrementAndGet);
                Tasks.any(() -> counter.set(7));
            });
        }
    }

    /** A thread that sleeps before it writes. */
    public static class Sleeps {
        public static void main(Driver driver) {
            Odd odd = new Odd();
            driver.event("a", () -> new Thread(() -> {
                try {
                    Thread.sleep(3_600_000);
                } catch (InterruptedException interrupted) {
                    return;
                }
                odd.count = 1;
            }).start());
        }
    }

    /** A task that never ends and shares nothing. */
    public static class Spins {
        public static void main(Driver driver) {
            driver.event("a", () -> Tasks.any(() -> {
                int rounds = 0;
                while (true) {
                    rounds++;
                }
            }));
        }
    }

    /** A handler that fails. */
    public static class Throws {
        public static void main(Driver driver) {
            Odd odd = new Odd();
            driver.event("a", () -> {
                odd.count = 1;
                throw new IllegalArgumentException("no");
            });
        }
    }

    /** A task whose class is missing at run time. */
    public static class LacksClass {
        public static void main(Driver driver) {
            driver.event("a", () -> new Absent().run());
        }
    }

    /** A stop must not be seen by the handlers of the application. */
    public static class Catches {
        public static void main(Driver driver) {
            Odd odd = new Odd();
            driver.event("a", () -> Tasks.any(() -> {
                try {
                    odd.count++;
                } catch (Throwable caught) {
                    odd.other = -1;
                } finally {
                    odd.count++;
                }
            }));
            driver.event("b", () -> odd.count = 5);
        }
    }

    /** Only one of eight values violates. */
    public static class Chooses {
        public static void main(Driver driver) {
            Odd odd = new Odd();
            int chosen = driver.any(8);
            driver.event("a", () -> {
                odd.count = 1;
                Tasks.any(() -> {
                    if (chosen == 5) {
                        odd.other = odd.count;
                    }
                });
            });
            driver.event("b", () -> odd.count++);
        }
    }

    /** Fails in the driver. */
    public static class FailingDriver {
        public static void main(Driver driver) {
            throw new IllegalStateException("no application");
        }
    }

    /** Declares nothing. */
    public static class EmptyDriver {
        public static void main(Driver driver) {}
    }

    /** Is no driver, because its method is not static. */
    public static class InstanceDriver {
        public void main(Driver driver) {
            driver.event("a", () -> {});
        }
    }

    /** Has an event without a handler. */
    public static class NoHandler {
        public static void main(Driver driver) {
            driver.event("a", null);
        }
    }

    /** Posts a task before there are events. */
    public static class PostsEarly {
        public static void main(Driver driver) {
            Tasks.any(() -> {});
        }
    }

    /** Only the handler needs the class that is missing. */
    public static class LacksClassLater {
        static class Needs {
            void run() {
                new Absent().run();
            }
        }

        public static void main(Driver driver) {
            driver.event("a", () -> new Needs().run());
        }
    }
}
