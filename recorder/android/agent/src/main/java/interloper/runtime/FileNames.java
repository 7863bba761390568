package interloper.runtime;

/** Names of files for names of tests. */
final class FileNames {
  private static final int LONGEST = 150;

  private FileNames() {}

  /** Returns the name with every character replaced that some file system does not take. */
  static String of(String name) {
    String safe = name.replaceAll("[^A-Za-z0-9._$-]+", "_");
    return safe.length() <= LONGEST
        ? safe
        : safe.substring(0, LONGEST) + "-" + Integer.toHexString(name.hashCode());
  }
}
