package headless;

import android.os.Looper;
import interloper.runtime.Busy;
import interloper.runtime.VirtualTime;
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
  private static final long LONGEST = 20_000_000_000L;

  private long granted;

  void start() {
    Thread thread = new Thread(this::tick, "system/display");
    thread.setDaemon(true);
    thread.start();
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
    while (true) {
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

  /** Waits until nothing is due and nothing runs. Frames and sleepers do not count. */
  void settle() {
    long end = System.nanoTime() + LONGEST;
    Thread main = Looper.getMainLooper().getThread();
    int quiet = 0;
    int waiting = 0;
    grant(PER_STEP);
    while (quiet < QUIET && System.nanoTime() < end && Crash.found() == null) {
      rest(5 * PAUSE);
      boolean isDone = Looper.getMainLooper().getQueue().isIdle() && !VirtualTime.isAsleep(main);
      waiting = isDone ? 0 : waiting + 1;
      if (waiting > 3 && isUsedUp()) {
        // A frame is asked for: a barrier holds other messages back until then.
        grant(FRAME);
        waiting = 0;
      }
      quiet = isDone && isUsedUp() && !Busy.is() ? quiet + 1 : 0;
    }
    if (quiet < QUIET && Crash.found() == null) {
      System.err.println("interloper: the app is still busy after 20 seconds");
    }
  }

  private static void rest(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }
}
