package interloper.runtime;

import interloper.ilt.Sync;
import interloper.ilt.Table;

/** Hooks of monitors and of {@link java.util.concurrent.locks.Lock}, in the program's own code. */
public final class Locks {
  private Locks() {}

  /** A lock was taken. */
  public static void locked(Object lock) {
    Strand strand = Recorder.strand();
    if (strand == null || lock == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = whole(recording, lock);
    synchronized (recording) {
      if (named.lock < 0) {
        named.lock = recording.writer.add(Table.LOCK, recording.name(named, lock));
      }
      strand.took(named);
      recording.sync(strand, Sync.LOCK, named.lock);
    }
  }

  /** A lock was perhaps taken. */
  public static boolean locked(boolean isTaken, Object lock) {
    if (isTaken) {
      locked(lock);
    }
    return isTaken;
  }

  /** A lock is about to be released. */
  public static void unlock(Object lock) {
    Strand strand = Recorder.strand();
    if (strand == null || lock == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = whole(recording, lock);
    synchronized (recording) {
      if (strand.released(named)) {
        recording.sync(strand, Sync.UNLOCK, named.lock);
      }
    }
  }

  /** A synchronised method has failed, which releases the lock that the thread took last. */
  public static void failed() {
    Strand strand = Recorder.strand();
    if (strand != null) {
      synchronized (strand.recording) {
        Named last = strand.releasedLast();
        if (last != null) {
          strand.recording.sync(strand, Sync.UNLOCK, last.lock);
        }
      }
    }
  }

  /** A monitor is about to be given up by a wait. */
  public static void waiting(Object monitor) {
    unlock(monitor);
  }

  /** A wait on a monitor has returned. */
  public static void waited(Object monitor) {
    locked(monitor);
    Signals.acquire(monitor);
  }

  /** A lock or a condition was obtained from the object that it belongs to. */
  public static Object part(Object part, Object whole) {
    Strand strand = Recorder.strand();
    if (strand != null && part != null && whole != null) {
      Named of = whole(strand.recording, whole);
      strand.recording.objects.of(part).whole = of;
    }
    return part;
  }

  private static Named whole(Recording recording, Object lock) {
    Named named = recording.objects.of(lock);
    return named.whole == null ? named : named.whole;
  }
}
