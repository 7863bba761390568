package interloper.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The recorder of this process: at most one recording at a time, and the strand of each thread.
 *
 * <p>All hooks do nothing while there is no recording.
 */
public final class Recorder {
  private static final long FLUSH_MILLIS = 200;
  private static final ThreadLocal<Actor> ACTOR = new ThreadLocal<>();

  private static final Set<Thread> IGNORED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private static volatile Recording current;
  private static volatile Path folder;

  private Recorder() {}

  /** What a recording knows about a running thread of the program. */
  private static final class Actor {
    final Recording recording;
    final Strand own;
    final ArrayDeque<Strand> borrowed = new ArrayDeque<>(1);

    Actor(Recording recording, Strand own) {
      this.recording = recording;
      this.own = own;
    }
  }

  /** Sets the folder for recordings. Called once, before the first recording. */
  public static void open(Path to) {
    folder = to;
    Thread flusher = new Flusher();
    flusher.start();
    Runtime.getRuntime().addShutdownHook(new Closer());
  }

  /** Starts a recording; an earlier one ends. */
  static synchronized void start(String name) {
    stop();
    try {
      Path path = folder.resolve(name + ".ilt");
      for (int number = 2; isTaken(path); number++) {
        path = folder.resolve(name + "-" + number + ".ilt");
      }
      current = new Recording(path);
    } catch (IOException error) {
      System.err.println("interloper: cannot record " + name + ": " + error);
    }
  }

  /** A file that is there but empty was made for the recording. */
  private static boolean isTaken(Path path) throws IOException {
    return Files.exists(path) && Files.size(path) > 0;
  }

  /** Ends the recording, if there is one. */
  static synchronized void stop() {
    Recording recording = current;
    current = null;
    if (recording != null) {
      recording.close();
    }
  }

  static Recording current() {
    return current;
  }

  /** Returns the strand on which the current thread runs, or null if nothing is recorded. */
  static Strand strand() {
    Recording recording = current;
    if (recording == null) {
      return null;
    }
    Actor actor = actor(recording);
    // The strand of a thread that an earlier app has left behind is null.
    Strand borrowed = actor.borrowed.peek();
    return borrowed == null ? actor.own : borrowed;
  }

  private static Actor actor(Recording recording) {
    Actor actor = ACTOR.get();
    if (actor == null || actor.recording != recording) {
      Thread thread = Thread.currentThread();
      actor = new Actor(recording, IGNORED.contains(thread) ? null : recording.strand(thread));
      ACTOR.set(actor);
    }
    return actor;
  }

  /** Lets the current thread run on another strand, or on the same one again. */
  static void borrow(Strand strand) {
    actor(strand.recording).borrowed.push(strand);
  }

  /** Undoes the last {@link #borrow} of the current thread, and returns the strand. */
  static Strand giveBack() {
    Actor actor = ACTOR.get();
    return actor == null || actor.recording != current ? null : actor.borrowed.poll();
  }

  /** Records a thread no more. */
  static void ignore(Thread thread) {
    IGNORED.add(thread);
  }

  /** Returns whether a thread belongs to the recorder. */
  static boolean isOwn(Thread thread) {
    return thread instanceof Flusher || thread instanceof Closer;
  }

  private static final class Flusher extends Thread {
    Flusher() {
      super("interloper");
      setDaemon(true);
    }

    @Override
    public void run() {
      while (true) {
        try {
          Thread.sleep(FLUSH_MILLIS);
        } catch (InterruptedException ended) {
          return;
        }
        Recording recording = current;
        if (recording != null) {
          recording.flush();
        }
      }
    }
  }

  private static final class Closer extends Thread {
    Closer() {
      super("interloper-end");
    }

    @Override
    public void run() {
      Recorder.stop();
    }
  }
}
