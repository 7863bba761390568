package pairs;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import org.junit.Test;

/** Threads and timers. */
public class ThreadsTest extends Pairs {
  @Test
  public void raceWithThread() throws Exception {
    Thread worker = Main.start(() -> shared = 1);
    shared = 2;
    worker.join();
  }

  @Test
  public void orderedByForkAndJoin() throws Exception {
    shared = 1;
    Thread worker = Main.start(() -> shared = 2);
    worker.join();
    shared = 3;
  }

  @Test
  public void raceOfTwoThreads() throws Exception {
    Thread first = Main.start(() -> shared = 1);
    Thread second = Main.start(() -> shared = 2);
    first.join();
    second.join();
  }

  @Test
  public void raceJoinWithTimeout() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread worker =
        Main.start(
            () -> {
              shared = 1;
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    worker.join(100);
    shared = 2;
    end.countDown();
    worker.join();
  }

  @Test
  public void raceWithTimer() throws Exception {
    Timer timer = new Timer();
    CountDownLatch done = new CountDownLatch(1);
    timer.schedule(task(done), 1);
    shared = 2;
    done.await();
    timer.cancel();
  }

  @Test
  public void orderedAfterTimer() throws Exception {
    Timer timer = new Timer();
    CountDownLatch done = new CountDownLatch(2);
    shared = 2;
    timer.schedule(task(done), 1, 1);
    done.await();
    timer.cancel();
  }

  private TimerTask task(CountDownLatch done) {
    return new TimerTask() {
      @Override
      public void run() {
        shared = 1;
        done.countDown();
      }
    };
  }
}
