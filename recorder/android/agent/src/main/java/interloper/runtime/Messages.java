package interloper.runtime;

import interloper.ilt.Posting;
import interloper.ilt.Sync;
import interloper.ilt.Table;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Hooks of Android's message queues.
 *
 * <p>Messages are recycled, so a message gets its id when it is posted. Robolectric's own messages,
 * by which a test controls another thread's Looper, are not events: what they do belongs to the
 * test.
 */
public final class Messages {
  private static final String CONTROL = "org.robolectric.";

  /** The threads of all queues, also of those that are older than the recording. */
  private static final Map<Object, Thread> OWNERS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private Messages() {}

  /** A queue was made, by the thread that will own it. */
  public static void created(Object queue) {
    OWNERS.put(queue, Thread.currentThread());
  }

  /** A message is about to be sent with a delay; the queue will only be told a time. */
  public static void delayed(Object message, long delay) {
    Strand strand = Recorder.strand();
    if (strand != null) {
      strand.delayed = message;
      strand.delay = delay;
    }
  }

  /** A message is about to enter a queue. */
  public static void enqueue(
      Object queue,
      Object message,
      long when,
      boolean isAsync,
      Object target,
      Object callback,
      int what) {
    Strand strand = Recorder.strand();
    if (strand == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.of(message);
    if (isControl(target, callback)) {
      Signals.release(message);
      return;
    }
    Posting posting;
    if (strand.name.equals(SystemProcess.INPUT)) {
      posting = new Posting(Posting.INPUT, 0, isAsync);
    } else if (strand.name.equals(SystemProcess.DISPLAY)) {
      posting = new Posting(Posting.DISPLAY, 0, isAsync);
    } else if (when == 0) {
      posting = new Posting(Posting.FRONT, 0, isAsync);
    } else if (strand.delayed == message) {
      long delay = Math.max(0, strand.delay);
      posting = new Posting(delay == 0 ? Posting.PLAIN : Posting.DELAYED, delay, isAsync);
    } else {
      posting = new Posting(Posting.AT_TIME, when, isAsync);
    }
    String label = Labels.ofMessage(target, callback, what);
    Named handler = target == null ? null : recording.objects.of(target);
    Object key = callback == null ? (Object) what : recording.objects.of(callback);
    Post post = new Post(-1, null, "message", label, handler, key);
    int id = queue(recording, queue);
    synchronized (recording) {
      // What remains of an earlier use of the message was never dispatched.
      named.takePost();
      recording.enqueue(strand, named, post, id, posting);
    }
  }

  /** A message entered its queue, or was refused. */
  public static boolean enqueued(boolean isAccepted, Object message) {
    if (!isAccepted) {
      removed(message);
    }
    return isAccepted;
  }

  private static boolean isControl(Object target, Object callback) {
    Object runs = callback == null ? target : callback;
    return runs != null && runs.getClass().getName().startsWith(CONTROL);
  }

  /** A message leaves its queue without being dispatched. */
  public static void removed(Object message) {
    Strand strand = Recorder.strand();
    if (strand == null) {
      return;
    }
    Named named = strand.recording.objects.find(message);
    if (named == null) {
      return;
    }
    synchronized (strand.recording) {
      Post post = named.takePost();
      if (post != null) {
        strand.recording.sync(strand, Sync.REMOVE, post.message());
      }
    }
  }

  /**
   * Messages of a Handler are about to be removed, by their callback or, if that is null, by their
   * code. One that has run already is removed in vain, which shows that it came first.
   */
  public static void removing(Object handler, Object callback, int what) {
    Strand strand = Recorder.strand();
    if (strand == null || handler == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.find(handler);
    Object key = callback == null ? (Object) what : recording.objects.find(callback);
    synchronized (recording) {
      Integer message = named == null || key == null ? null : named.begun().remove(key);
      if (message != null) {
        recording.sync(strand, Sync.REMOVE, message);
      }
    }
  }

  /** All messages of a Handler are about to be removed. */
  public static void removingAll(Object handler, Object token) {
    Strand strand = Recorder.strand();
    if (strand == null || handler == null || token != null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.find(handler);
    synchronized (recording) {
      if (named != null) {
        for (int message : named.begun().values()) {
          recording.sync(strand, Sync.REMOVE, message);
        }
        named.begun().clear();
      }
    }
  }

  /** A Looper is about to dispatch a message. */
  public static void begin(Object message) {
    begin(message, "message");
  }

  private static void begin(Object message, String type) {
    Strand strand = Recorder.strand();
    if (strand == null) {
      return;
    }
    Busy.dispatchBegins();
    Recording recording = strand.recording;
    synchronized (recording) {
      Named named = recording.objects.of(message);
      Post post = named.takePost();
      strand.beginDispatch(post != null || !named.isReleased);
      if (post != null) {
        recording.begin(strand, post);
        if (post.handler() != null) {
          post.handler().begun().put(post.key(), post.message());
        }
      } else if (named.isReleased) {
        Signals.acquire(message);
        named.isReleased = false;
      } else {
        recording.begin(strand, new Post(-1, null, type, "unposted"));
      }
    }
  }

  /** The dispatch of a message has returned, or failed. */
  public static void end() {
    Busy.dispatchEnds();
    Strand strand = Recorder.strand();
    if (strand != null && strand.endDispatch()) {
      strand.recording.end(strand);
    }
  }

  /** A barrier was posted. Returns its token. */
  public static int barrier(int token, Object queue) {
    Strand strand = Recorder.strand();
    if (strand != null) {
      Recording recording = strand.recording;
      int id = queue(recording, queue);
      synchronized (recording) {
        int barrier = recording.barrier(queue, token, true);
        recording.sync(strand, Sync.POST_BARRIER, barrier, id);
      }
    }
    return token;
  }

  /** A barrier is about to be removed. */
  public static void removeBarrier(Object queue, int token) {
    Strand strand = Recorder.strand();
    if (strand != null) {
      Recording recording = strand.recording;
      synchronized (recording) {
        int barrier = recording.barrier(queue, token, false);
        if (barrier >= 0) {
          recording.sync(strand, Sync.REMOVE_BARRIER, barrier);
        }
      }
    }
  }

  /** An idle handler is about to be added to a queue. */
  public static void addIdle(Object queue, Object handler) {
    Strand strand = Recorder.strand();
    if (strand == null || handler == null) {
      return;
    }
    Recording recording = strand.recording;
    Post post = new Post(-1, null, "idle", Labels.of(handler.getClass()));
    Posting posting = new Posting(Posting.IDLE, 0, false);
    int id = queue(recording, queue);
    recording.enqueue(strand, recording.objects.of(handler), post, id, posting);
  }

  /** An idle handler is about to run. */
  public static void beginIdle(Object handler) {
    begin(handler, "idle");
  }

  /** An idle handler has returned whether it wants to run again. */
  public static boolean endIdle(boolean isKept, Object handler, Object queue) {
    if (isKept) {
      addIdle(queue, handler);
    }
    end();
    return isKept;
  }

  /** Returns the id of a queue, which its thread attaches when it is first used. */
  static int queue(Recording recording, Object queue) {
    Named named = recording.objects.of(queue);
    synchronized (recording) {
      if (named.queue < 0) {
        Thread owner = OWNERS.get(queue);
        Strand strand = owner == null ? recording.strand("looper") : recording.strand(owner);
        named.queue = recording.writer.add(Table.QUEUE, strand.name);
        recording.sync(strand, Sync.ATTACH, named.queue);
        recording.sync(strand, Sync.LOOP, named.queue);
      }
      return named.queue;
    }
  }
}
