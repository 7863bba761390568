package headless;

import interloper.runtime.SystemProcess;
import java.util.ArrayDeque;
import java.util.concurrent.Callable;

/**
 * The thread {@code system/activity}, on which the system acts. Each call of the app and each cause
 * from outside is an event there.
 *
 * <p>It uses monitors only, which are not recorded in this package.
 */
final class SystemThread {
  private final ArrayDeque<Work> queue = new ArrayDeque<>();
  private final Thread thread;

  SystemThread(String name) {
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Ends the thread. */
  void end() {
    thread.interrupt();
  }

  private static final class Work {
    final Callable<Object> action;
    Object result;
    Throwable failure;
    boolean isDone;

    Work(Callable<Object> action) {
      this.action = action;
    }

    synchronized void perform() {
      try {
        result = action.call();
      } catch (Exception | Error thrown) {
        failure = thrown;
        System.err.println("interloper: the system failed: " + thrown);
        thrown.printStackTrace();
      }
      isDone = true;
      notifyAll();
    }

    synchronized Object await() {
      while (!isDone) {
        try {
          wait();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          return null;
        }
      }
      if (failure != null) {
        throw new IllegalStateException(failure);
      }
      return result;
    }
  }

  private void run() {
    while (true) {
      Work work;
      synchronized (queue) {
        while (queue.isEmpty()) {
          try {
            queue.wait();
          } catch (InterruptedException ended) {
            return;
          }
        }
        work = queue.poll();
      }
      work.perform();
    }
  }

  private Work submit(Callable<Object> action) {
    Work work = new Work(action);
    synchronized (queue) {
      queue.add(work);
      queue.notifyAll();
    }
    return work;
  }

  /** Performs work that is no event of the system. */
  void perform(Runnable action) {
    submit(
            () -> {
              action.run();
              return null;
            })
        .await();
  }

  /** Performs a call of the app, which waits for the result unless the call is one-way. */
  Object call(String what, boolean isOneWay, Callable<Object> action) {
    Object call = SystemProcess.call(what);
    Work work = submit(() -> event(call, what, action));
    if (isOneWay) {
      return null;
    }
    Object result = work.await();
    SystemProcess.returned(call);
    return result;
  }

  /** Performs something that nobody in the app asked for. */
  void outside(String what, Runnable action) {
    submit(
            () ->
                event(
                    null,
                    what,
                    () -> {
                      action.run();
                      return null;
                    }))
        .await();
  }

  private static Object event(Object call, String what, Callable<Object> action) throws Exception {
    SystemProcess.begin(call, what);
    try {
      return action.call();
    } finally {
      SystemProcess.end();
    }
  }
}
