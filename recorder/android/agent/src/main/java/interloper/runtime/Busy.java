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

  private static volatile Thread main;
  private static volatile long dispatched;
  private static volatile int depth;

  private Busy() {}

  /** Starts anew with another main thread. */
  static void start(Thread thread) {
    STARTED.clear();
    RUNNING.set(0);
    main = thread;
    depth = 0;
    started(thread);
  }

  /** A Looper is about to dispatch a message. Only the main thread writes these fields. */
  static void dispatchBegins() {
    if (Thread.currentThread() == main) {
      dispatched++;
      depth++;
    }
  }

  static void dispatchEnds() {
    if (Thread.currentThread() == main) {
      depth--;
    }
  }

  /** Returns whether the main thread is inside a message. */
  public static boolean isDispatching() {
    return depth > 0;
  }

  /** Returns how many messages the main thread has dispatched. */
  public static long dispatched() {
    return dispatched;
  }

  static void taskBegins() {
    RUNNING.incrementAndGet();
  }

  static void taskEnds() {
    RUNNING.decrementAndGet();
  }

  static void started(Thread thread) {
    STARTED.add(thread);
  }

  /** Returns whether a thread other than the main thread was started while the app is recorded. */
  static boolean isStarted(Thread thread) {
    return thread != main && STARTED.contains(thread);
  }

  /** Returns whether a thread other than the main thread can run. */
  public static boolean isRunnable() {
    for (Thread thread : started()) {
      if (thread != main && isRunnable(thread)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isRunnable(Thread thread) {
    Thread.State state = thread.getState();
    return state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED;
  }

  private static Thread[] started() {
    synchronized (STARTED) {
      STARTED.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
      return STARTED.toArray(new Thread[0]);
    }
  }

  /** Returns whether a task runs or a thread is runnable. Sleepers are no reason to wait. */
  public static boolean is() {
    if (RUNNING.get() > VirtualTime.sleepers()) {
      return true;
    }
    for (Thread thread : started()) {
      if (isRunnable(thread)) {
        return true;
      }
    }
    return false;
  }
}
