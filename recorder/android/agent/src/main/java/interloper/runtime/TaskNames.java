package interloper.runtime;

import java.lang.reflect.Field;
import java.util.concurrent.FutureTask;

/** Finds what a task of an executor runs, inside the wrappers of the class library. */
final class TaskNames {
  private static final Field CALLABLE = field(FutureTask.class, "callable");
  private static final Field ADAPTED = field(adapter(), "task");

  private TaskNames() {}

  private static Class<?> adapter() {
    try {
      return Class.forName("java.util.concurrent.Executors$RunnableAdapter");
    } catch (ClassNotFoundException absent) {
      return Object.class;
    }
  }

  private static Field field(Class<?> type, String name) {
    try {
      Field field = type.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException absent) {
      return null;
    }
  }

  /** Returns the program's own object inside a task, or the task. */
  static Object inner(Object task) {
    Object found = task;
    if (CALLABLE != null && found instanceof FutureTask<?>) {
      found = get(CALLABLE, found);
    }
    if (ADAPTED != null && ADAPTED.getDeclaringClass().isInstance(found)) {
      found = get(ADAPTED, found);
    }
    return found;
  }

  private static Object get(Field field, Object object) {
    try {
      Object value = field.get(object);
      return value == null ? object : value;
    } catch (IllegalAccessException refused) {
      return object;
    }
  }
}
