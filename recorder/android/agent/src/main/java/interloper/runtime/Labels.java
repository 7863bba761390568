package interloper.runtime;

/** Names of classes for people, the same in every run. */
final class Labels {
  private Labels() {}

  /** Returns the name of a class without its package, and without the number of a lambda. */
  static String of(Class<?> type) {
    if (type.isArray()) {
      return of(type.getComponentType()) + "[]";
    }
    String name = type.getName();
    name = name.substring(name.lastIndexOf('.') + 1);
    int slash = name.indexOf('/');
    name = slash < 0 ? name : name.substring(0, slash);
    int lambda = name.indexOf("$$Lambda");
    return lambda < 0 ? name : name.substring(0, lambda) + "$lambda";
  }

  /** Returns what a message does: the class of its callback, or its handler and code. */
  static String ofMessage(Object target, Object callback, int what) {
    if (callback != null) {
      return of(callback.getClass());
    }
    return target == null ? "message" : of(target.getClass()) + ":" + what;
  }
}
