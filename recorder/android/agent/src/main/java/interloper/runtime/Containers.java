package interloper.runtime;

/**
 * Hooks of calls that read or change the contents of a collection of the class library.
 *
 * <p>A collection is one location, its {@code .items}; the function of the class library stands on
 * the stack of the access. A key of a map is a location of its own besides, if it is a text, a
 * number or a constant: calling {@code hashCode} would run the program's code. The map as a whole
 * is then accessed too, because a call such as {@code clear} concerns all keys.
 */
public final class Containers {
  private Containers() {}

  /** The contents of a collection are about to be read or changed. */
  public static void access(Object of, boolean isWrite, int line, int function) {
    Strand strand = Recorder.strand();
    if (strand == null || of == null) {
      return;
    }
    int location = strand.recording.part(strand, of, ".items");
    strand.enter(function);
    strand.recording.access(strand, location, isWrite, null, line);
    strand.leave(function);
  }

  /**
   * The value of a key is about to be read or changed.
   *
   * @param isStored whether the keys are all there is, as in preferences and databases
   */
  public static void access(
      Object map, Object key, boolean isStored, boolean isWrite, int line, int function) {
    Strand strand = Recorder.strand();
    if (strand == null || map == null) {
      return;
    }
    String name = key(key);
    if (name == null || isWrite && !isStored) {
      access(map, isWrite, line, function);
    }
    if (name != null) {
      int location = strand.recording.part(strand, map, "[" + name + "]");
      strand.recording.access(strand, location, isWrite, null, line);
    }
  }

  private static String key(Object key) {
    if (key instanceof String text) {
      return text.length() <= 100 ? '"' + text + '"' : null;
    }
    if (key instanceof Enum<?> constant) {
      return constant.name();
    }
    boolean isPlain =
        key instanceof Integer
            || key instanceof Long
            || key instanceof Boolean
            || key instanceof Character;
    return isPlain ? key.toString() : null;
  }
}
