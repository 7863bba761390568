package interloper.runtime;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Hooks of the thread pools of the class library. */
public final class Pools {
  private Pools() {}

  /** A task is about to be given to a pool. */
  public static void execute(ThreadPoolExecutor pool, Runnable task) {
    if (Recorder.current() != null) {
      BlockingQueue<Runnable> queue = pool.getQueue();
      boolean isFifo =
          queue instanceof LinkedBlockingQueue<?> || queue instanceof ArrayBlockingQueue<?>;
      Tasks.post(pool, task, isFifo && pool.getMaximumPoolSize() == 1);
    }
  }

  /** A task is about to be given to a pool, to run at its time. */
  public static void schedule(ScheduledThreadPoolExecutor pool, RunnableScheduledFuture<?> task) {
    if (Recorder.current() != null && task != null) {
      long delay = task.getDelay(TimeUnit.MILLISECONDS);
      Tasks.schedule(pool, task, pool.getCorePoolSize() == 1, delay);
    }
  }
}
