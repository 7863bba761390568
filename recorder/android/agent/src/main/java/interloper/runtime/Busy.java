package interloper.runtime;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Knows whether the program's own threads and tasks have something to do. */
public final class Busy {
  private static final AtomicInteger RUNNING = new AtomicInteger();
  private static final Set<Thread> STARTED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private Busy() {}

  static void taskBegins() {
    RUNNING.incrementAndGet();
  }

  static void taskEnds() {
    RUNNING.decrementAndGet();
  }

  static void started(Thread thread) {
    STARTED.add(thread);
  }

  /** Returns whether a task runs or a thread is runnable. Sleepers are no reason to wait. */
  public static boolean is() {
    if (RUNNING.get() > VirtualTime.sleepers()) {
      return true;
    }
    Thread[] threads;
    synchronized (STARTED) {
      STARTED.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
      threads = STARTED.toArray(new Thread[0]);
    }
    for (Thread thread : threads) {
      Thread.State state = thread.getState();
      if (state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED) {
        return true;
      }
    }
    return false;
  }
}
