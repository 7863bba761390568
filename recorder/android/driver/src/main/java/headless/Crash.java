package headless;

import android.os.Looper;
import android.os.MessageQueue;
import interloper.runtime.SystemProcess;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;
import org.robolectric.shadow.api.Shadow;

/** The failure that ends the app. */
final class Crash {
  private static final AtomicReference<Throwable> FOUND = new AtomicReference<>();

  private Crash() {}

  static void watch() {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> note(failure));
  }

  private static void note(Throwable failure) {
    FOUND.compareAndSet(null, failure);
    SystemProcess.flush();
  }

  /** Returns the first failure, or null. A failure of the main thread is kept by its queue. */
  static Throwable found() {
    if (FOUND.get() == null) {
      Throwable ofMain = ofMain();
      if (ofMain != null) {
        note(ofMain);
      }
    }
    return FOUND.get();
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

  /** Prints the failure, if there is one, and returns whether there is. */
  static boolean report() {
    Throwable failure = found();
    if (failure != null) {
      System.err.println("interloper: the app crashed");
      Main.cause(failure).printStackTrace();
    }
    return failure != null;
  }
}
