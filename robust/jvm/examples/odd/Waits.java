package odd;

import interloper.robust.Driver;
import interloper.robust.Tasks;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** Programs whose tasks wait for each other, or run on threads that the library starts. */
public class Waits {
    int count;
    int other;

    /** The handler waits for its thread before it reads: a violation would be a false one. */
    public static class Joins {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            driver.event("a", () -> {
                Thread thread = new Thread(() -> waits.count = 1);
                thread.start();
                try {
                    thread.join();
                } catch (InterruptedException interrupted) {
                    return;
                }
                waits.other = waits.count;
            });
        }
    }

    /** A lock of the library. */
    public static class Locks {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            Lock lock = new ReentrantLock();
            Runnable task = () -> {
                lock.lock();
                try {
                    waits.count++;
                } finally {
                    lock.unlock();
                }
            };
            driver.event("a", () -> Tasks.any(task));
            driver.event("b", () -> Tasks.any(task));
        }
    }

    /** A task waits for a latch that another event counts down. */
    public static class Awaits {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            CountDownLatch latch = new CountDownLatch(1);
            driver.event("a", () -> Tasks.any(() -> {
                try {
                    latch.await();
                    waits.count++;
                } catch (InterruptedException interrupted) {
                    waits.count--;
                }
            }));
            driver.event("b", latch::countDown);
        }
    }

    /** A task waits for what a queue will have. */
    public static class Takes {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
            driver.event("a", () -> Tasks.any(() -> {
                try {
                    waits.count = queue.poll(100, TimeUnit.SECONDS);
                } catch (InterruptedException interrupted) {
                    waits.count--;
                }
            }));
            driver.event("b", () -> queue.add(1));
        }
    }

    /** A task waits for a notification. */
    public static class Notified {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            driver.event("a", () -> Tasks.any(() -> {
                synchronized (waits) {
                    try {
                        while (waits.count == 0) {
                            waits.wait();
                        }
                    } catch (InterruptedException interrupted) {
                        waits.other--;
                    }
                }
            }));
            driver.event("b", () -> {
                synchronized (waits) {
                    waits.count = 1;
                    waits.notifyAll();
                }
            });
        }
    }

    /** The library's own threads. */
    public static class Completes {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            driver.event("a", () -> CompletableFuture.runAsync(() -> waits.count++));
            driver.event("b", () -> waits.count++);
        }
    }

    /** A stream whose elements the library's threads handle. */
    public static class Parallel {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            int[] all = new int[5000];
            driver.event("a", () -> IntStream.range(0, all.length).parallel().forEach(i -> all[i] = waits.count));
            driver.event("b", () -> waits.count++);
        }
    }

    /** A task that is scheduled, and sleeps. */
    public static class Scheduled {
        public static void main(Driver driver) {
            Waits waits = new Waits();
            ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
            driver.event("a", () -> executor.schedule(() -> {
                TimeUnit.HOURS.sleep(1);
                return waits.count++;
            }, 1, TimeUnit.HOURS));
        }
    }

    /** A flag that another event sets ends the loop of a task. */
    public static class Polls {
        private volatile boolean isOver;
        private int rounds;

        public static void main(Driver driver) {
            Polls polls = new Polls();
            driver.event("a", () -> Tasks.any(() -> {
                while (!polls.isOver) {
                    polls.rounds++;
                }
            }));
            driver.event("b", () -> polls.isOver = true);
        }
    }

    /** A method that calls itself without end. */
    public static class Recurses {
        private static int depth(int n) {
            return depth(n + 1) + 1;
        }

        public static void main(Driver driver) {
            Waits waits = new Waits();
            driver.event("a", () -> waits.count = depth(0));
        }
    }
}
