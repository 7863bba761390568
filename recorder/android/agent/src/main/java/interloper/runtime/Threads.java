package interloper.runtime;

import interloper.ilt.Sync;

/** Hooks of {@link Thread}. */
public final class Threads {
  private Threads() {}

  /** A thread is about to be started. */
  public static void fork(Thread thread) {
    Strand strand = Recorder.strand();
    if (strand != null && !isOurs(thread)) {
      Busy.started(thread);
      strand.recording.sync(strand, Sync.FORK, strand.recording.strand(thread).id);
    }
  }

  /** The current thread is about to end. */
  public static void exit(Thread thread) {
    Strand strand = Recorder.strand();
    if (strand == null || isOurs(thread)) {
      return;
    }
    Recording recording = strand.recording;
    synchronized (recording) {
      if (!recording.isClosed()) {
        strand.exit();
      }
    }
    recording.flushNowAndThen();
  }

  /** A wait for the end of a thread has returned. */
  public static void joined(Thread thread) {
    Strand strand = Recorder.strand();
    if (strand == null || thread.isAlive()) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.find(thread);
    if (named != null && named.strand != null && named.strand.hasExited()) {
      recording.sync(strand, Sync.JOIN, named.strand.id);
    }
  }

  private static boolean isOurs(Thread thread) {
    return Recorder.isOwn(thread) || thread.getName().startsWith(SystemProcess.PREFIX);
  }
}
