package interloper.runtime;

import interloper.ilt.Sync;
import interloper.ilt.Table;

/**
 * Hooks of what lets one thread wait for another: monitors' wait and notify, futures, latches,
 * semaphores, elements of blocking queues.
 *
 * <p>Each object has a handle. All releases before an acquire order it.
 */
public final class Signals {
  private Signals() {}

  /** Something is about to happen that others wait for on this object. */
  public static void release(Object object) {
    Strand strand = Recorder.strand();
    if (strand == null || object == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.of(object);
    synchronized (recording) {
      if (named.handle < 0) {
        named.handle = recording.writer.add(Table.HANDLE, recording.name(named, object));
      }
      named.isReleased = true;
      recording.sync(strand, Sync.NOTIFY, named.handle);
    }
  }

  /** A wait on this object has returned. */
  public static void acquire(Object object) {
    Strand strand = Recorder.strand();
    if (strand == null || object == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.find(object);
    if (named != null && named.isReleased) {
      recording.sync(strand, Sync.WAIT, named.handle);
    }
  }

  /** A wait on this object has returned, if it has not timed out. */
  public static boolean acquire(boolean isOver, Object object) {
    if (isOver) {
      acquire(object);
    }
    return isOver;
  }

  /** An element was taken out of a queue between threads; null if there was none. */
  public static Object taken(Object element) {
    acquire(element);
    return element;
  }
}
