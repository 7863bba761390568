package interloper.runtime;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;

/**
 * The classes of a whole app, which are loaded anew for each life of the app, in a sandbox that
 * stays. So static fields of the app are as in a new process.
 */
public final class AppClasses extends URLClassLoader {
  private static volatile AppClasses current;

  private final ClassLoader framework;

  private AppClasses(URL[] files, ClassLoader sandbox) {
    super(files, sandbox);
    framework = sandbox;
  }

  /** Starts anew with the classes of some files, in front of the classes of a sandbox. */
  public static void start(List<Path> files, ClassLoader sandbox) {
    try {
      URL[] urls = new URL[files.size()];
      for (int i = 0; i < urls.length; i++) {
        urls[i] = files.get(i).toUri().toURL();
      }
      current = new AppClasses(urls, sandbox);
    } catch (MalformedURLException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Returns the loader of the app's classes. */
  public static ClassLoader loader() {
    return current;
  }

  /** Stands in for the class loader that the framework would use, if there is an app. */
  public static ClassLoader loader(ClassLoader other) {
    AppClasses app = current;
    return app == null ? other : app;
  }

  /** Stands in for {@code Class.forName} where Robolectric looks for classes of the app. */
  public static Class<?> named(String name) throws ClassNotFoundException {
    AppClasses app = current;
    return app == null ? Class.forName(name) : app.loadClass(name);
  }

  /**
   * The platform comes first, as on a device. The app's own copy of a library comes before the one
   * that the recorder happens to use.
   */
  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      String file = name.replace('.', '/') + ".class";
      if (isPlatform(name) || findResource(file) == null) {
        return framework.loadClass(name);
      }
      return findClass(name);
    }
  }

  /** Returns whether a class of this name can only be the platform's. */
  private static boolean isPlatform(String name) {
    if (name.startsWith("android.support.") || name.startsWith("android.arch.")) {
      return false;
    }
    return name.startsWith("java.")
        || name.startsWith("android.")
        || name.startsWith("dalvik.")
        || name.startsWith("com.android.internal.")
        || name.startsWith("org.json.")
        || name.startsWith("org.xml.")
        || name.startsWith("org.w3c.")
        || name.startsWith("org.xmlpull.v1.")
        || name.startsWith("interloper.");
  }
}
