package interloper.runtime;

import java.util.HashMap;
import java.util.Map;

/**
 * The time of a whole app, in milliseconds. It stands still unless the driver lets it pass, so that
 * races do not come and go with the load of the machine.
 */
public final class VirtualTime {
  private static final Map<Thread, Long> SLEEPERS = new HashMap<>();
  private static long now;

  private VirtualTime() {}

  /** Stands in for {@code Thread.sleep} in the program's code. */
  public static void sleep(long millis) throws InterruptedException {
    synchronized (SLEEPERS) {
      long until = now + millis;
      SLEEPERS.put(Thread.currentThread(), until);
      try {
        while (now < until) {
          SLEEPERS.wait();
        }
      } finally {
        SLEEPERS.remove(Thread.currentThread());
      }
    }
  }

  /** Stands in for {@code SystemClock.sleep}, which ignores interrupts. */
  public static void sleepThrough(long millis) {
    try {
      sleep(millis);
    } catch (InterruptedException ignored) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets time pass. */
  public static void pass(long millis) {
    synchronized (SLEEPERS) {
      now += millis;
      SLEEPERS.notifyAll();
    }
  }

  /** Returns whether a thread sleeps. */
  public static boolean isAsleep(Thread thread) {
    synchronized (SLEEPERS) {
      return SLEEPERS.containsKey(thread);
    }
  }

  /** Returns how many threads sleep. */
  static int sleepers() {
    synchronized (SLEEPERS) {
      return SLEEPERS.size();
    }
  }
}
