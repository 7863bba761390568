package pairs;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.Test;

/** What one thread waits for another with. */
public class SignalsTest extends Pairs {
  private interface Action {
    void run() throws Exception;
  }

  private static Thread start(Action action) {
    return Main.start(
        () -> {
          try {
            action.run();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  public void orderedByWait() throws Exception {
    Object monitor = new Object();
    Thread worker;
    synchronized (monitor) {
      worker =
          start(
              () -> {
                shared = 1;
                synchronized (monitor) {
                  monitor.notifyAll();
                }
              });
      monitor.wait();
    }
    shared = 2;
    worker.join();
  }

  @Test
  public void raceAfterNotify() throws Exception {
    Object monitor = new Object();
    Thread worker;
    synchronized (monitor) {
      worker =
          start(
              () -> {
                synchronized (monitor) {
                  monitor.notifyAll();
                }
                shared = 1;
              });
      monitor.wait();
    }
    shared = 2;
    worker.join();
  }

  @Test
  public void orderedByLatch() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    Thread worker =
        start(
            () -> {
              shared = 1;
              latch.countDown();
            });
    latch.await();
    shared = 2;
    worker.join();
  }

  @Test
  public void raceAfterLatch() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    Thread worker =
        start(
            () -> {
              latch.countDown();
              shared = 1;
            });
    latch.await();
    shared = 2;
    worker.join();
  }

  @Test
  public void orderedBySemaphore() throws Exception {
    Semaphore semaphore = new Semaphore(0);
    Thread worker =
        start(
            () -> {
              shared = 1;
              semaphore.release();
            });
    semaphore.acquire();
    shared = 2;
    worker.join();
  }

  @Test
  public void raceAfterRelease() throws Exception {
    Semaphore semaphore = new Semaphore(0);
    Thread worker =
        start(
            () -> {
              semaphore.release();
              shared = 1;
            });
    semaphore.acquire();
    shared = 2;
    worker.join();
  }

  @Test
  public void orderedByQueue() throws Exception {
    BlockingQueue<Object> queue = new LinkedBlockingQueue<>();
    Thread worker =
        start(
            () -> {
              shared = 1;
              queue.put(new Object());
            });
    queue.take();
    shared = 2;
    worker.join();
  }

  @Test
  public void raceByAnotherElement() throws Exception {
    BlockingQueue<Object> queue = new LinkedBlockingQueue<>();
    queue.put(new Object());
    Thread worker =
        start(
            () -> {
              shared = 1;
              queue.put(new Object());
            });
    queue.take();
    shared = 2;
    worker.join();
  }

  @Test
  public void orderedByCyclicBarrier() throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    Thread worker =
        start(
            () -> {
              shared = 1;
              barrier.await();
            });
    barrier.await();
    shared = 2;
    worker.join();
  }

  @Test
  public void orderedByCondition() throws Exception {
    Lock lock = new ReentrantLock();
    Condition ready = lock.newCondition();
    lock.lock();
    Thread worker =
        start(
            () -> {
              shared = 1;
              lock.lock();
              ready.signal();
              lock.unlock();
            });
    ready.await();
    lock.unlock();
    shared = 2;
    worker.join();
  }
}
