package interloper.runtime;

/**
 * Hooks of accesses to fields and elements of arrays. {@code line} and {@code field} are numbers of
 * {@link Sites}.
 */
public final class Accesses {
  /** Elements with a higher index are not recorded: large arrays are buffers and tables. */
  private static final int LAST_ELEMENT = 255;

  private Accesses() {}

  public static void read(Object object, int line, int field) {
    field(object, null, line, field, false);
  }

  public static void write(Object object, int line, int field) {
    field(object, null, line, field, true);
  }

  public static void readObject(Object object, Object value, int line, int field) {
    field(object, value == null ? "null" : null, line, field, false);
  }

  public static void writeObject(Object object, Object value, int line, int field) {
    field(object, value == null ? "null" : null, line, field, true);
  }

  public static void readInt(Object object, int value, int line, int field) {
    field(object, number(value), line, field, false);
  }

  public static void writeInt(Object object, int value, int line, int field) {
    field(object, number(value), line, field, true);
  }

  public static void readStatic(int line, int field) {
    field(null, null, line, field, false);
  }

  public static void writeStatic(int line, int field) {
    field(null, null, line, field, true);
  }

  public static void readStaticObject(Object value, int line, int field) {
    field(null, value == null ? "null" : null, line, field, false);
  }

  public static void writeStaticObject(Object value, int line, int field) {
    field(null, value == null ? "null" : null, line, field, true);
  }

  public static void readStaticInt(int value, int line, int field) {
    field(null, number(value), line, field, false);
  }

  public static void writeStaticInt(int value, int line, int field) {
    field(null, number(value), line, field, true);
  }

  /** An element of an array is about to be read. */
  public static void readElement(Object array, int index, int line) {
    element(array, index, line, false);
  }

  /** An element of an array is about to be written. */
  public static void writeElement(Object array, int index, int line) {
    element(array, index, line, true);
  }

  /** Values of ints are recorded while they are small, because every text stays in memory. */
  private static String number(int value) {
    return value >= -1 && value < 1000 ? Integer.toString(value) : null;
  }

  /** The object is null for static fields, and for an access that is about to fail. */
  private static void field(Object object, String value, int line, int field, boolean isWrite) {
    Strand strand = Recorder.strand();
    if (strand == null) {
      return;
    }
    Recording recording = strand.recording;
    int location = object == null ? recording.field(field) : recording.field(strand, object, field);
    recording.access(strand, location, isWrite, value, line);
  }

  private static void element(Object array, int index, int line, boolean isWrite) {
    Strand strand = Recorder.strand();
    if (strand != null && array != null && index >= 0 && index <= LAST_ELEMENT) {
      int location = strand.recording.element(strand, array, index);
      strand.recording.access(strand, location, isWrite, null, line);
    }
  }
}
