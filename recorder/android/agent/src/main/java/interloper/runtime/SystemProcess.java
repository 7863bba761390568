package interloper.runtime;

import interloper.ilt.Posting;
import interloper.ilt.Sync;
import interloper.ilt.Table;
import java.util.HashMap;
import java.util.Map;

/**
 * What the driver of a whole app reports: calls of the app to the system, causes from outside, and
 * what the system waits for before it acts.
 *
 * <p>Each call is an event on the queue {@code system/activity}, which is a pool: the system
 * promises no order between calls, except what it waits for. A cause from outside, such as the
 * user's wish to leave, is an event that nobody posted; it waits on a handle that says what the
 * system knew. Threads of the driver have names that begin with {@code system/} and run in the
 * process {@code system}.
 */
public final class SystemProcess {
  static final String PREFIX = "system/";
  static final String INPUT = "system/input";
  static final String DISPLAY = "system/display";

  private static final Map<String, Integer> HANDLES = new HashMap<>();
  private static int queue = -1;

  private SystemProcess() {}

  /** Starts to record a whole app, into a file in the recorder's folder. */
  public static void start(String name, Thread main) {
    Recorder.start(name);
    Recording recording = Recorder.current();
    if (recording == null) {
      throw new IllegalStateException("the recording cannot be written");
    }
    HANDLES.clear();
    synchronized (recording) {
      queue = recording.writer.add(Table.QUEUE, "system/activity");
    }
    recording.main(main);
    Busy.started(main);
  }

  /** Ends the recording. */
  public static void stop() {
    Recorder.stop();
  }

  /** Writes everything that was recorded so far to the file. */
  public static void flush() {
    Recording recording = Recorder.current();
    if (recording != null) {
      recording.flush();
    }
  }

  /** The app is about to call the system. Returns the call, for the hooks below. */
  public static Object call(String what) {
    Strand strand = Recorder.strand();
    if (strand == null) {
      return null;
    }
    Object call = new Object();
    Recording recording = strand.recording;
    Post post = new Post(-1, null, "system", what);
    Named named = recording.objects.of(call);
    synchronized (recording) {
      recording.enqueue(strand, named, post, queue, Posting.NOW);
      named.message = named.lastPosted();
    }
    return call;
  }

  /** The system is about to act on a call, or without one if the cause comes from outside. */
  public static void begin(Object call, String what) {
    Strand strand = Recorder.strand();
    if (strand == null) {
      return;
    }
    Recording recording = strand.recording;
    synchronized (recording) {
      Post post = call == null ? null : recording.objects.of(call).takePost();
      Post begun = post == null ? new Post(-1, null, "system", what) : post;
      recording.begin(strand, begun);
    }
  }

  /** The system has acted. */
  public static void end() {
    Strand strand = Recorder.strand();
    if (strand != null) {
      strand.recording.end(strand);
    }
  }

  /** A call that the app waited for has returned. */
  public static void returned(Object call) {
    Strand strand = Recorder.strand();
    if (strand == null || call == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.find(call);
    if (named != null && named.message >= 0) {
      recording.sync(strand, Sync.ENQUEUE_END, named.message);
    }
  }

  /** Something became true that the system will wait for. */
  public static void notify(String what) {
    handle(Sync.NOTIFY, what);
  }

  /** The system acts because something is true. */
  public static void await(String what) {
    handle(Sync.WAIT, what);
  }

  private static void handle(Sync op, String what) {
    Strand strand = Recorder.strand();
    if (strand == null) {
      return;
    }
    Recording recording = strand.recording;
    synchronized (recording) {
      Integer known = HANDLES.get(what);
      if (known == null) {
        known = recording.writer.add(Table.HANDLE, what);
        HANDLES.put(what, known);
      }
      recording.sync(strand, op, known);
    }
  }
}
