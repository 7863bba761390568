package interloper.runtime;

import interloper.ilt.Posting;
import interloper.ilt.Sync;
import interloper.ilt.Table;

/**
 * Hooks of executors and timers. A task is an event of its executor's queue.
 *
 * <p>The queue of a pool orders nothing between tasks. An executor that runs one task at a time, in
 * the order they were posted, is a Looper, whose thread is imagined: the threads that run its tasks
 * may change.
 */
public final class Tasks {
  private Tasks() {}

  /** A task is about to be given to an executor. */
  public static void post(Object executor, Object task, boolean isSerial) {
    post(executor, task, isSerial, Posting.NOW, "task");
  }

  /** A task is about to be given to an executor, to run after a delay in milliseconds. */
  public static void schedule(Object executor, Object task, boolean isSerial, long delay) {
    post(executor, task, isSerial, Posting.delayed(delay), "task");
  }

  /** A task is about to be given to a timer. */
  public static void schedule(Object timer, Object task, long time) {
    post(timer, task, true, new Posting(Posting.AT_TIME, time, false), "timer");
  }

  private static void post(
      Object executor, Object task, boolean isSerial, Posting posting, String type) {
    Strand strand = Recorder.strand();
    if (strand == null || task == null) {
      return;
    }
    Recording recording = strand.recording;
    Named of = recording.objects.of(executor);
    Named named = recording.objects.of(task);
    synchronized (recording) {
      if (recording.isClosed()) {
        return;
      }
      if (of.queue < 0) {
        String name = recording.name(of, executor);
        of.queue = recording.writer.add(Table.QUEUE, name);
        if (isSerial) {
          of.strand = recording.strand(name);
          recording.sync(of.strand, Sync.ATTACH, of.queue);
          recording.sync(of.strand, Sync.LOOP, of.queue);
        }
      }
      Post post = new Post(-1, of.strand, type, Labels.of(TaskNames.inner(task).getClass()));
      named.executor = of;
      recording.enqueue(strand, named, post, of.queue, posting);
    }
  }

  /** A task has run that its timer will run again, if the period is not 0. */
  public static void repeat(Object task, long period) {
    Strand strand = Recorder.strand();
    if (strand == null || period == 0) {
      return;
    }
    Named named = strand.recording.objects.find(task);
    Object timer = named == null || named.executor == null ? null : named.executor.get();
    if (timer != null) {
      post(timer, task, true, new Posting(Posting.AT_TIME, Math.abs(period), false), "timer");
    }
  }

  /** A task is about to run. */
  public static void begin(Object task) {
    Strand strand = Recorder.strand();
    if (strand == null || task == null) {
      return;
    }
    Recording recording = strand.recording;
    synchronized (recording) {
      Named named = recording.objects.find(task);
      Post post = named == null ? null : named.takePost();
      if (post == null) {
        String label = Labels.of(TaskNames.inner(task).getClass());
        post = new Post(-1, null, "task", label);
      }
      Strand on = post.strand() == null ? strand : post.strand();
      Recorder.borrow(on);
      Busy.taskBegins();
      recording.begin(on, post);
    }
  }

  /** A task has returned, or failed. */
  public static void end() {
    Strand strand = Recorder.giveBack();
    if (strand != null) {
      Busy.taskEnds();
      strand.recording.end(strand);
    }
  }

  /** A task is about to be cancelled. */
  public static void cancel(Object task) {
    Messages.removed(task);
  }
}
