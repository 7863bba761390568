package pairs;

import android.os.Handler;
import android.os.HandlerThread;
import android.os.SystemClock;
import android.view.View;
import java.util.concurrent.CountDownLatch;
import org.junit.Test;
import org.robolectric.RuntimeEnvironment;

/** Messages of the main thread and of another Looper. */
public class MessagesTest extends Pairs {
  @Test
  public void racePostedByTwoThreads() throws Exception {
    Thread worker = Main.start(() -> Main.HANDLER.post(() -> shared = 1));
    Main.HANDLER.post(() -> shared = 2);
    worker.join();
    Main.idle();
  }

  @Test
  public void orderedPostedByOneThread() {
    Main.HANDLER.post(() -> shared = 1);
    Main.HANDLER.post(() -> shared = 2);
    Main.idle();
  }

  @Test
  public void orderedPostedAfterJoin() throws Exception {
    Main.start(() -> Main.HANDLER.post(() -> shared = 1)).join();
    Main.HANDLER.post(() -> shared = 2);
    Main.idle();
  }

  @Test
  public void raceLongDelayFirst() {
    Main.HANDLER.postDelayed(() -> shared = 1, 20);
    Main.HANDLER.postDelayed(() -> shared = 2, 10);
    Main.idleFor(30);
  }

  @Test
  public void orderedShortDelayFirst() {
    Main.HANDLER.postDelayed(() -> shared = 1, 10);
    Main.HANDLER.postDelayed(() -> shared = 2, 20);
    Main.idleFor(30);
  }

  @Test
  public void raceAtTime() {
    Main.HANDLER.postAtTime(() -> shared = 1, SystemClock.uptimeMillis() + 5);
    Main.HANDLER.postDelayed(() -> shared = 2, 10);
    Main.idleFor(30);
  }

  @Test
  public void orderedFront() {
    Main.HANDLER.post(() -> shared = 1);
    Main.HANDLER.postAtFrontOfQueue(() -> shared = 2);
    Main.idle();
  }

  @Test
  public void raceFrontFromElsewhere() throws Exception {
    Thread worker = Main.start(() -> Main.HANDLER.postAtFrontOfQueue(() -> shared = 2));
    Main.HANDLER.post(() -> shared = 1);
    worker.join();
    Main.idle();
  }

  @Test
  public void raceAsyncAfterSync() {
    Main.HANDLER.sendMessage(Main.message(() -> shared = 1, false));
    Main.HANDLER.sendMessage(Main.message(() -> shared = 2, true));
    Main.idle();
  }

  @Test
  public void orderedSyncAfterAsync() {
    Main.HANDLER.sendMessage(Main.message(() -> shared = 1, true));
    Main.HANDLER.sendMessage(Main.message(() -> shared = 2, false));
    Main.idle();
  }

  @Test
  public void orderedByBarrier() {
    int barrier = Main.queue().postSyncBarrier();
    Main.HANDLER.sendMessage(Main.message(() -> shared = 1, false));
    Main.HANDLER.sendMessage(
        Main.message(
            () -> {
              shared = 2;
              Main.queue().removeSyncBarrier(barrier);
            },
            true));
    Main.idle();
    Main.idle();
  }

  @Test
  public void orderedIdleAfterPost() {
    Main.HANDLER.post(() -> shared = 1);
    Main.queue()
        .addIdleHandler(
            () -> {
              shared = 2;
              return false;
            });
    Main.idle();
  }

  @Test
  public void raceIdleBeforePost() {
    Main.queue()
        .addIdleHandler(
            () -> {
              shared = 2;
              return false;
            });
    Main.HANDLER.post(() -> shared = 1);
    Main.idle();
  }

  @Test
  public void orderedRemoved() throws Exception {
    Runnable late = () -> shared = 1;
    Main.HANDLER.postDelayed(late, 50);
    Main.HANDLER.post(
        () -> {
          shared = 2;
          Main.HANDLER.removeCallbacks(late);
        });
    Main.idleFor(100);
  }

  @Test
  public void orderedRemovedInVain() {
    Runnable first = () -> shared = 1;
    Main.HANDLER.postAtTime(first, SystemClock.uptimeMillis() + 1);
    Main.HANDLER.postDelayed(
        () -> {
          Main.HANDLER.removeCallbacks(first);
          shared = 2;
        },
        10);
    Main.idleFor(30);
  }

  private void listening(boolean isHeard) throws Exception {
    View view = new View(RuntimeEnvironment.getApplication());
    Thread worker =
        Main.start(
            () ->
                Main.HANDLER.post(
                    () -> {
                      shared = 1;
                      view.setOnClickListener(isHeard ? clicked -> shared = 2 : null);
                    }));
    Main.HANDLER.postDelayed(
        () -> {
          if (!view.performClick()) {
            shared = 3;
          }
        },
        10);
    worker.join();
    Main.idleFor(30);
  }

  @Test
  public void orderedByListener() throws Exception {
    listening(true);
  }

  @Test
  public void raceWithoutListener() throws Exception {
    listening(false);
  }

  @Test
  public void orderedBeforeAndAfterIdle() {
    shared = 1;
    Main.HANDLER.post(() -> shared++);
    shared = 2;
    Main.idle();
    shared = 3;
  }

  @Test
  public void raceOfTwoLoopers() throws Exception {
    HandlerThread other = new HandlerThread("other");
    other.start();
    CountDownLatch done = new CountDownLatch(1);
    Handler handler = new Handler(other.getLooper());
    handler.post(
        () -> {
          shared = 1;
          done.countDown();
        });
    shared = 2;
    done.await();
    other.quit();
    other.join();
  }

  @Test
  public void orderedReplyOfAnotherLooper() throws Exception {
    HandlerThread other = new HandlerThread("other");
    other.start();
    CountDownLatch done = new CountDownLatch(1);
    Handler handler = new Handler(other.getLooper());
    shared = 1;
    handler.post(
        () -> {
          shared = 2;
          Main.HANDLER.post(() -> shared = 3);
          done.countDown();
        });
    done.await();
    Main.idle();
    other.quit();
    other.join();
  }
}
