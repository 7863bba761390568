package interloper.runtime;

/** Hooks of the program's functions, for the shadow stack. */
public final class Calls {
  private Calls() {}

  /** A function begins. */
  public static void enter(int function) {
    Strand strand = Recorder.strand();
    if (strand != null) {
      strand.enter(function);
    }
  }

  /** A function returns or fails. */
  public static void leave(int function) {
    Strand strand = Recorder.strand();
    if (strand != null) {
      strand.leave(function);
    }
  }

  /** An accessor that the compiler has made is about to be called from this line. */
  public static void at(int line) {
    Strand strand = Recorder.strand();
    if (strand != null) {
      strand.callLine = line;
    }
  }
}
