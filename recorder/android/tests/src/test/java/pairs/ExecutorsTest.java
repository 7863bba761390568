package pairs;

import android.os.AsyncTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** Tasks of executors, and their results. */
public class ExecutorsTest extends Pairs {
  private static void end(ExecutorService pool) throws InterruptedException {
    pool.shutdown();
    pool.awaitTermination(10, TimeUnit.SECONDS);
  }

  @Test
  public void raceInPool() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    pool.execute(() -> shared = 1);
    pool.execute(() -> shared = 2);
    end(pool);
  }

  @Test
  public void raceOfTasksOnOneThreadOfPool() throws Exception {
    ExecutorService pool = Executors.newCachedThreadPool();
    CountDownLatch first = new CountDownLatch(1);
    Main.start(
            () ->
                pool.execute(
                    () -> {
                      shared = 1;
                      first.countDown();
                    }))
        .join();
    pool.execute(() -> shared = 2);
    end(pool);
  }

  @Test
  public void orderedInSerial() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    pool.execute(() -> shared = 1);
    pool.execute(() -> shared = 2);
    end(pool);
  }

  @Test
  public void raceOfTwoSerials() throws Exception {
    ExecutorService first = Executors.newSingleThreadExecutor();
    ExecutorService second = Executors.newSingleThreadExecutor();
    first.execute(() -> shared = 1);
    second.execute(() -> shared = 2);
    end(first);
    end(second);
  }

  @Test
  public void orderedByGet() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Future<?> first = pool.submit(() -> shared = 1);
    first.get();
    shared = 2;
    end(pool);
  }

  @Test
  public void raceBeforeGet() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Future<?> first = pool.submit(() -> shared = 1);
    shared = 2;
    first.get();
    end(pool);
  }

  @Test
  public void orderedByDelay() throws Exception {
    ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
    pool.schedule(() -> shared = 1, 1, TimeUnit.MILLISECONDS);
    pool.schedule(() -> shared = 2, 20, TimeUnit.MILLISECONDS).get();
    end(pool);
  }

  @Test
  public void raceOfDelays() throws Exception {
    ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
    Future<?> late = pool.schedule(() -> shared = 1, 30, TimeUnit.MILLISECONDS);
    pool.schedule(() -> shared = 2, 1, TimeUnit.MILLISECONDS);
    late.get();
    end(pool);
  }

  @Test
  public void orderedByCompletableFuture() throws Exception {
    CompletableFuture<Void> stages =
        CompletableFuture.runAsync(() -> shared = 1).thenRun(() -> shared = 2);
    stages.join();
    shared = 3;
  }

  @Test
  public void raceOfCompletableFutures() throws Exception {
    CompletableFuture<Void> first = CompletableFuture.runAsync(() -> shared = 1);
    CompletableFuture<Void> second = CompletableFuture.runAsync(() -> shared = 2);
    first.join();
    second.join();
  }

  @Test
  public void orderedSerialAsyncTasks() throws Exception {
    AsyncTask.SERIAL_EXECUTOR.execute(() -> shared = 1);
    CountDownLatch done = new CountDownLatch(1);
    AsyncTask.SERIAL_EXECUTOR.execute(
        () -> {
          shared = 2;
          done.countDown();
        });
    done.await();
  }

  private final class Load extends AsyncTask<Void, Void, Integer> {
    private final boolean isRacy;

    Load(boolean isRacy) {
      this.isRacy = isRacy;
    }

    @Override
    protected Integer doInBackground(Void... none) {
      if (isRacy) {
        shared = 1;
      }
      return 1;
    }

    @Override
    protected void onPostExecute(Integer result) {
      shared = result;
    }
  }

  private void load(boolean isRacy) throws Exception {
    Load task = new Load(isRacy);
    task.execute();
    shared = 2;
    task.get();
    Main.idle();
  }

  @Test
  public void raceInBackgroundOfAsyncTask() throws Exception {
    load(true);
  }

  @Test
  public void orderedResultOfAsyncTask() throws Exception {
    load(false);
  }
}
