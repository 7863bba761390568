package interloper.agent;

import java.net.URL;
import java.util.List;

/**
 * Decides which classes are the program's own, whose accesses are recorded.
 *
 * <p>These are the classes of the packages that the user names. If none is named, they are the
 * classes that come neither from a well-known library nor from a repository of a build tool.
 */
final class UserClasses {
  private static final String[] LIBRARIES = {
    "android/",
    "androidx/",
    "com/android/",
    "com/google/android/",
    "com/google/common/",
    "dalvik/",
    "headless/",
    "interloper/",
    "jakarta/",
    "java/",
    "javax/",
    "jdk/",
    "junit/",
    "kotlin/",
    "kotlinx/",
    "libcore/",
    "net/bytebuddy/",
    "org/hamcrest/",
    "org/junit/",
    "org/mockito/",
    "org/objectweb/asm/",
    "org/robolectric/",
    "sun/",
    "com/sun/"
  };
  private static final String[] REPOSITORIES = {"/.m2/", "/.gradle/", "/repository/", "/caches/"};

  private final List<String> packages;

  /** Takes prefixes of packages, separated by commas. */
  UserClasses(String packages) {
    this.packages =
        List.of(packages.split(",")).stream()
            .map(name -> name.trim().replace('.', '/'))
            .filter(name -> !name.isEmpty())
            .toList();
  }

  /** Returns whether a class may belong to the program, judged by its name alone. */
  boolean mayBe(String name) {
    return packages.isEmpty()
        ? !startsWithAny(name, LIBRARIES)
        : packages.stream().anyMatch(name::startsWith);
  }

  /** Returns whether a class that a sandbox loads belongs to the program. */
  boolean contains(ClassLoader loader, String name) {
    return mayBe(name) && (!packages.isEmpty() || !isFromRepository(loader, name));
  }

  private static boolean isFromRepository(ClassLoader loader, String name) {
    URL from = loader.getResource(name + ".class");
    if (from == null || !from.getProtocol().equals("jar")) {
      return false;
    }
    for (String repository : REPOSITORIES) {
      if (from.getPath().contains(repository)) {
        return true;
      }
    }
    return false;
  }

  private static boolean startsWithAny(String name, String[] prefixes) {
    for (String prefix : prefixes) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
