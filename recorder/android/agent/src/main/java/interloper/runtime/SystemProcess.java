package interloper.runtime;

import interloper.ilt.Posting;
import interloper.ilt.Sync;
import interloper.ilt.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

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
  private static final AtomicReference<Integer> EXIT = new AtomicReference<>();
  private static final Set<Integer> CALLBACKS = ConcurrentHashMap.newKeySet();
  private static final int KILLED = 137;
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
    Busy.start(main);
    EXIT.set(null);
    CALLBACKS.clear();
  }

  /** Ends the recording. Threads that the app leaves behind are not recorded any more. */
  public static void stop() {
    Recorder.stop();
    threads().forEach(Recorder::ignore);
  }

  /** Interrupts the threads that the app has left behind. */
  public static void interruptThreads() {
    for (Thread thread : threads()) {
      if (Busy.isStarted(thread)) {
        thread.interrupt();
      }
    }
  }

  private static List<Thread> threads() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    Thread[] all = new Thread[2 * group.activeCount() + 16];
    int count = group.enumerate(all);
    List<Thread> found = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      if (!isShared(all[i]) && all[i] != Thread.currentThread() && !Recorder.isOwn(all[i])) {
        found.add(all[i]);
      }
    }
    return found;
  }

  /** Returns whether a thread belongs to the platform, which runs the next app on it too. */
  private static boolean isShared(Thread thread) {
    String name = thread.getName();
    return name.startsWith("ForkJoinPool.commonPool")
        || name.startsWith("AsyncTask #")
        || name.startsWith("SDK ");
  }

  // The end of the app's process.

  /** Stands in for {@code System.exit} in the program's code. */
  public static void exit(int status) {
    EXIT.compareAndSet(null, status);
    flush();
    // Nothing after the call runs. The driver ends the app.
    while (true) {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException ended) {
        throw new ThreadDeath();
      }
    }
  }

  /** Stands in for {@code Runtime.exit} and {@code Runtime.halt} in the program's code. */
  public static void exit(Runtime runtime, int status) {
    exit(status);
  }

  /** Stands in for {@code Process.killProcess} in the program's code. */
  public static void killProcess(int process) {
    exit(KILLED);
  }

  /** Returns the status with which the app ended its process, or null. */
  public static Integer exitStatus() {
    return EXIT.get();
  }

  /** Returns whether the recording has reached its largest size and was closed. */
  public static boolean isFull() {
    Recording recording = Recorder.current();
    return recording != null && recording.isFull();
  }

  // Coverage.

  /** A callback of the program was reached. */
  public static void reached(int function) {
    if (Recorder.current() != null) {
      CALLBACKS.add(function);
    }
  }

  /** Returns the names of the callbacks that were reached since the start of the recording. */
  public static List<String> callbacks() {
    List<String> names = new ArrayList<>();
    for (int function : CALLBACKS) {
      names.add(Sites.function(function).name());
    }
    return names;
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
