package headless;

import android.os.Looper;
import android.os.MessageQueue;
import interloper.runtime.SystemProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowPausedLooper;

/** How the app ends before its user does: it crashes, ends its process, or hangs. */
final class End {
  private static final AtomicReference<Throwable> CRASH = new AtomicReference<>();
  private static final int FRAMES = 12;

  private final Clock clock;

  End(Clock clock) {
    this.clock = clock;
  }

  void watch() {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> note(failure));
  }

  private static void note(Throwable failure) {
    if (CRASH.compareAndSet(null, failure)) {
      SystemProcess.flush();
    }
  }

  /** Returns whether the app neither crashed nor ended its process, and is still recorded. */
  static boolean isRunning() {
    return crash() == null && SystemProcess.exitStatus() == null && !SystemProcess.isFull();
  }

  /** Returns whether the app can still do something. */
  boolean isAlive() {
    return isRunning() && !clock.isStuck();
  }

  /** Returns the first failure, or null. A failure of the main thread is kept by its queue. */
  private static Throwable crash() {
    if (CRASH.get() == null) {
      Throwable ofMain = ofMain();
      if (ofMain != null) {
        note(ofMain);
      }
    }
    return CRASH.get();
  }

  private static Throwable ofMain() {
    MessageQueue queue = Looper.getMainLooper().getQueue();
    Object shadow = Shadow.extract(queue);
    for (Class<?> type = shadow.getClass(); type != null; type = type.getSuperclass()) {
      try {
        Field field = type.getDeclaredField("uncaughtExceptionRef");
        field.setAccessible(true);
        return (Throwable) ((AtomicReference<?>) field.get(shadow)).get();
      } catch (NoSuchFieldException inherited) {
        continue;
      } catch (IllegalAccessException refused) {
        return null;
      }
    }
    return null;
  }

  /** Returns what an answer says about the end of the app. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    Integer status = SystemProcess.exitStatus();
    if (crash() != null) {
      StringWriter text = new StringWriter();
      Main.cause(crash()).printStackTrace(new PrintWriter(text));
      lines.add("crash\t" + text.toString().strip());
    } else if (status != null) {
      lines.add("exit\t" + status);
    } else if (SystemProcess.isFull()) {
      lines.add("full\t");
    } else if (clock.isStuck()) {
      lines.add("hang\t" + where(Looper.getMainLooper().getThread()));
    } else if (clock.wasBusy()) {
      lines.add("busy\t");
    }
    return lines;
  }

  private static String where(Thread thread) {
    StringBuilder text = new StringBuilder();
    int count = 0;
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (count++ < FRAMES) {
        text.append(text.isEmpty() ? "" : "\n").append("at ").append(frame);
      }
    }
    return text.toString();
  }

  /**
   * Ends the threads of the app as far as they can be ended. The rest goes on unrecorded, as long
   * as the process lives.
   */
  void endThreads() {
    CRASH.set(null);
    try {
      ShadowPausedLooper.resetLoopers();
    } catch (RuntimeException stuck) {
      // A Looper that hangs cannot be reset.
    }
    SystemProcess.interruptThreads();
  }
}
