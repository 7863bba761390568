package interloper.runtime;

/**
 * Hooks of Robolectric's test runner. A recording has the tests of one class, or one test.
 *
 * <p>A test runs on the main thread and is an event there. The messages that it dispatches are
 * events after what the test did before, and before what it does next ({@link Strand}).
 */
public final class Tests {
  /** The tests of a class run one after another. */
  private static final Object ORDER = new Object();

  private static volatile boolean isPerTest;
  private static String recorded;

  private Tests() {}

  /** Chooses one recording per test instead of one per class. */
  public static void perTest() {
    isPerTest = true;
  }

  /** A test is about to be set up, on the thread that is the main thread of its sandbox. */
  public static synchronized void begin(Class<?> type, String test) {
    String unit = isPerTest ? type.getName() + "." + test : type.getName();
    if (!unit.equals(recorded) || Recorder.current() == null || isPerTest) {
      Recorder.start(FileNames.of(unit));
      recorded = unit;
    }
    Recording recording = Recorder.current();
    if (recording == null) {
      return;
    }
    Strand strand = recording.main(Thread.currentThread());
    recording.begin(strand, new Post(-1, null, "test", Labels.of(type) + "." + test));
    Signals.acquire(ORDER);
  }

  /** A test and its clean-up have ended. */
  public static synchronized void end() {
    Recording recording = Recorder.current();
    if (recording == null) {
      return;
    }
    Strand strand = Recorder.strand();
    Signals.release(ORDER);
    while (strand.isInEvent()) {
      recording.end(strand);
    }
    if (isPerTest) {
      Recorder.stop();
    }
  }

  /** All tests of a class have ended. */
  public static synchronized void endClass() {
    Recorder.stop();
    recorded = null;
  }
}
