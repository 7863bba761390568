package interloper.runtime;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The places of the program that instrumented code refers to by number: lines, functions and
 * fields.
 *
 * <p>The agent numbers them while it transforms classes; the numbers are constants in the
 * transformed code. They are the same for all recordings of the process, which map them to the ids
 * of their files.
 */
public final class Sites {
  /** Stands for the line of the last call, in accessors that the compiler has made. */
  public static final int CALLER = 0;

  private static final Map<Line, Integer> LINE_IDS = new HashMap<>();
  private static final Map<Field, Integer> FIELD_IDS = new HashMap<>();
  private static final Map<Function, Integer> FUNCTION_IDS = new HashMap<>();
  private static Line[] lines = {new Line("", 0)};
  private static Function[] functions = new Function[64];
  private static Field[] fields = new Field[64];
  private static int lineCount = 1;
  private static int functionCount;
  private static int fieldCount;

  private Sites() {}

  record Line(String file, int number) {}

  /**
   * A function of the program.
   *
   * @param name its class without the package, and its own name
   * @param line the number of its first line, see {@link Line}
   */
  record Function(String name, int line, boolean isUser) {}

  /**
   * A field of the program or the framework.
   *
   * @param owner the class without the package; used for static fields
   */
  record Field(String owner, String name, boolean isUser) {}

  /** Returns the number of a line. */
  public static synchronized int line(String file, int number) {
    Line line = new Line(file, number);
    Integer known = LINE_IDS.get(line);
    if (known != null) {
      return known;
    }
    if (lineCount == lines.length) {
      lines = Arrays.copyOf(lines, 2 * lineCount);
    }
    lines[lineCount] = line;
    LINE_IDS.put(line, lineCount);
    return lineCount++;
  }

  /** Returns the number of a function. Overloads on one line share it. */
  public static synchronized int function(String name, int line, boolean isUser) {
    Function function = new Function(name, line, isUser);
    Integer known = FUNCTION_IDS.get(function);
    if (known != null) {
      return known;
    }
    if (functionCount == functions.length) {
      functions = Arrays.copyOf(functions, 2 * functionCount);
    }
    functions[functionCount] = function;
    FUNCTION_IDS.put(function, functionCount);
    return functionCount++;
  }

  /** Returns the number of a field. */
  public static synchronized int field(String owner, String name, boolean isUser) {
    Field field = new Field(owner, name, isUser);
    Integer known = FIELD_IDS.get(field);
    if (known != null) {
      return known;
    }
    if (fieldCount == fields.length) {
      fields = Arrays.copyOf(fields, 2 * fieldCount);
    }
    fields[fieldCount] = field;
    FIELD_IDS.put(field, fieldCount);
    return fieldCount++;
  }

  static synchronized Line line(int id) {
    return lines[id];
  }

  static synchronized Function function(int id) {
    return functions[id];
  }

  static synchronized Field field(int id) {
    return fields[id];
  }
}
