package pairs;

import static org.robolectric.Shadows.shadowOf;

import android.os.Handler;
import android.os.Looper;
import android.os.Message;
import android.os.MessageQueue;
import java.time.Duration;

/** The main thread's Looper, as tests use it. */
final class Main {
  static final Handler HANDLER = new Handler(Looper.getMainLooper());

  private Main() {}

  static void idle() {
    shadowOf(Looper.getMainLooper()).idle();
  }

  static void idleFor(long millis) {
    shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(millis));
  }

  static MessageQueue queue() {
    return Looper.getMainLooper().getQueue();
  }

  static Message message(Runnable runs, boolean isAsync) {
    Message message = Message.obtain(HANDLER, runs);
    message.setAsynchronous(isAsync);
    return message;
  }

  /** Starts a thread. */
  static Thread start(Runnable runs) {
    Thread thread = new Thread(runs);
    thread.start();
    return thread;
  }
}
