package odd;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/** Monitors decide. */
public class Locks {
    int x;
    int y;
    final Object monitor = new Object();

    synchronized void add(int n) {
        x = x + n;
    }

    synchronized int get() {
        return x;
    }

    private static void twice(Driver driver, Runnable task) {
        driver.event("a", () -> Tasks.any(task));
        driver.event("b", () -> Tasks.any(task));
    }

    /** No monitor. */
    public static class None {
        public static void main(Driver driver) {
            Locks locks = new Locks();
            twice(driver, () -> locks.x = locks.x + 1);
        }
    }

    /** A synchronized method. */
    public static class Method {
        public static void main(Driver driver) {
            Locks locks = new Locks();
            twice(driver, () -> locks.add(1));
        }
    }

    /** A synchronized block. */
    public static class Block {
        public static void main(Driver driver) {
            Locks locks = new Locks();
            twice(driver, () -> {
                synchronized (locks.monitor) {
                    locks.x = locks.x + 1;
                    locks.y = locks.x;
                }
            });
        }
    }

    /** Each access is locked, the pair is not: a cycle without a race. */
    public static class Split {
        public static void main(Driver driver) {
            Locks locks = new Locks();
            twice(driver, () -> locks.add(locks.get()));
        }
    }

    /** Only one of the two locks. */
    public static class Half {
        public static void main(Driver driver) {
            Locks locks = new Locks();
            driver.event("a", () -> Tasks.any(() -> {
                synchronized (locks.monitor) {
                    locks.x = locks.x + 1;
                }
            }));
            driver.event("b", () -> Tasks.any(() -> locks.x = 7));
        }
    }

    /** Two monitors, one after the other. */
    public static class Two {
        public static void main(Driver driver) {
            Locks locks = new Locks();
            twice(driver, () -> {
                synchronized (locks.monitor) {
                    locks.x++;
                }
                synchronized (locks) {
                    locks.y++;
                }
            });
        }
    }
}
