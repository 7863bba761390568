package pairs;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.Test;

/** Locks: what they protect is no race, though they order nothing. */
public class LocksTest extends Pairs {
  private final Object monitor = new Object();
  private final Object other = new Object();

  private void both(Runnable first, Runnable second) throws InterruptedException {
    Thread worker = Main.start(first);
    second.run();
    worker.join();
  }

  private void write(Object with, int value) {
    synchronized (with) {
      shared = value;
    }
  }

  private synchronized void writeSynchronised(int value) {
    if (value < 0) {
      throw new IllegalArgumentException();
    }
    shared = value;
  }

  private void write(Lock lock, int value) {
    lock.lock();
    try {
      shared = value;
    } finally {
      lock.unlock();
    }
  }

  @Test
  public void orderedByMonitor() throws Exception {
    both(() -> write(monitor, 1), () -> write(monitor, 2));
  }

  @Test
  public void raceOfTwoMonitors() throws Exception {
    both(() -> write(monitor, 1), () -> write(other, 2));
  }

  @Test
  public void orderedBySynchronisedMethod() throws Exception {
    both(() -> writeSynchronised(1), () -> write(this, 2));
  }

  @Test
  public void raceAfterFailureOfSynchronisedMethod() throws Exception {
    Runnable fail =
        () -> {
          try {
            writeSynchronised(-1);
          } catch (IllegalArgumentException expected) {
            shared = 1;
          }
        };
    both(fail, () -> writeSynchronised(2));
  }

  @Test
  public void orderedByLock() throws Exception {
    Lock lock = new ReentrantLock();
    both(() -> write(lock, 1), () -> write(lock, 2));
  }

  @Test
  public void raceAfterUnlock() throws Exception {
    Lock lock = new ReentrantLock();
    Runnable late =
        () -> {
          lock.lock();
          lock.unlock();
          shared = 1;
        };
    both(late, () -> write(lock, 2));
  }

  @Test
  public void orderedByReadWriteLock() throws Exception {
    ReadWriteLock lock = new ReentrantReadWriteLock();
    Runnable read =
        () -> {
          lock.readLock().lock();
          int value = shared;
          lock.readLock().unlock();
          if (value < 0) {
            throw new IllegalStateException();
          }
        };
    both(read, () -> write(lock.writeLock(), 2));
  }

  @Test
  public void orderedByTryLock() throws Exception {
    Lock lock = new ReentrantLock();
    Runnable attempt =
        () -> {
          if (lock.tryLock()) {
            shared = 1;
            lock.unlock();
          }
        };
    both(attempt, () -> write(lock, 2));
  }
}
