package headless;

import android.os.Looper;
import interloper.runtime.Busy;
import interloper.runtime.VirtualTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.robolectric.shadows.ShadowSystemClock;

/**
 * The clock of the app. Virtual time passes in steps of a frame, and only as far as it was granted.
 * Frames are delivered by this thread, {@code system/display}.
 */
final class Clock {
  static final long FRAME = 16;

  private static final long PER_STEP = 160;
  private static final long PAUSE = 2;
  private static final int QUIET = 12;
  private static final long BUSY = 3_000_000_000L;
  private static final long STUCK = 10_000_000_000L;
  private static final int BLOCKED = 1000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private long granted;
  private volatile boolean hasEnded;
  private boolean isStuck;
  private boolean wasBusy;

  void start() {
    Thread thread = new Thread(this::tick, "system/display");
    thread.setDaemon(true);
    thread.start();
  }

  void end() {
    hasEnded = true;
  }

  /** Lets some more time pass. */
  synchronized void grant(long millis) {
    granted += millis;
  }

  private synchronized long take(long most) {
    long taken = Math.min(most, granted);
    granted -= taken;
    return taken;
  }

  private synchronized boolean isUsedUp() {
    return granted == 0;
  }

  private void tick() {
    Thread main = Looper.getMainLooper().getThread();
    while (!hasEnded) {
      rest(PAUSE);
      long step = take(FRAME);
      if (step == 0 && VirtualTime.isAsleep(main)) {
        step = FRAME;
      }
      if (step > 0) {
        ShadowSystemClock.advanceBy(Duration.ofMillis(step));
        VirtualTime.pass(step);
      }
    }
  }

  /** Returns whether the main thread did not come out of an event for a long time. */
  boolean isStuck() {
    return isStuck;
  }

  /** Returns whether the app was still busy when it was last waited for. */
  boolean wasBusy() {
    return wasBusy;
  }

  /**
   * Waits until nothing is due and nothing runs. Frames and sleepers do not count. An app that
   * always has something to do is waited for until its main thread has worked for some seconds.
   *
   * <p>The main thread is stuck if it works longer than that in one event, or if it waits in one
   * for what no other thread can give. Work is measured in processor time, and a thread that can
   * run counts as working, so a loaded machine changes nothing.
   */
  void settle() {
    Thread main = Looper.getMainLooper().getThread();
    long begun = THREADS.getThreadCpuTime(main.getId());
    long dispatched = Busy.dispatched();
    long atDispatch = begun;
    int quiet = 0;
    int waiting = 0;
    int blocked = 0;
    grant(PER_STEP);
    while (quiet < QUIET && End.isRunning() && !isStuck) {
      rest(5 * PAUSE);
      boolean isDone = !Busy.isDispatching() && Looper.getMainLooper().getQueue().isIdle();
      waiting = isDone ? 0 : waiting + 1;
      if (waiting > 3 && isUsedUp()) {
        // A frame is asked for: a barrier holds other messages back until then.
        grant(FRAME);
        waiting = 0;
      }
      quiet = isDone && isUsedUp() && !Busy.is() ? quiet + 1 : 0;
      long now = THREADS.getThreadCpuTime(main.getId());
      if (isDone || Busy.dispatched() != dispatched) {
        dispatched = Busy.dispatched();
        atDispatch = now;
      }
      blocked = Busy.isDispatching() && isBlocked(main) ? blocked + 1 : 0;
      isStuck = blocked > BLOCKED || now - atDispatch > STUCK;
      if (now - begun > BUSY && !isStuck && now - atDispatch < BUSY / 3) {
        break;
      }
    }
    wasBusy = quiet < QUIET && End.isRunning() && !isStuck;
  }

  private static boolean isBlocked(Thread main) {
    return main.getState() != Thread.State.RUNNABLE
        && !VirtualTime.isAsleep(main)
        && !Busy.isRunnable();
  }

  private static void rest(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }
}
