package interloper.agent;

import interloper.runtime.Recorder;
import interloper.runtime.Tests;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The entry of the Java agent. It does nothing until Robolectric makes its first sandbox, so that
 * the other processes of a build, such as Maven's own, run as ever.
 *
 * <p>Settings come from the environment, which build tools pass on to the processes that they
 * start:
 *
 * <ul>
 *   <li>{@code INTERLOPER_ANDROID_OUT}: the folder for recordings; without it the agent does
 *       nothing
 *   <li>{@code INTERLOPER_ANDROID_PER_TEST}: if set, one recording per test instead of one per
 *       class
 *   <li>{@code INTERLOPER_ANDROID_APP}: if set, a whole app runs under the driver ({@link
 *       Unshadow})
 *   <li>{@code INTERLOPER_ANDROID_PACKAGES}: prefixes of the program's packages, separated by
 *       commas
 * </ul>
 */
public final class Agent {
  private static Instrumentation instrumentation;
  private static boolean isActive;

  private Agent() {}

  /** Called by the virtual machine before the program. */
  public static void premain(String arguments, Instrumentation to) {
    String out = System.getenv("INTERLOPER_ANDROID_OUT");
    if (out == null || out.isEmpty()) {
      return;
    }
    instrumentation = to;
    String packages = System.getenv("INTERLOPER_ANDROID_PACKAGES");
    UserClasses users = new UserClasses(packages == null ? "" : packages);
    if (System.getenv("INTERLOPER_ANDROID_PER_TEST") != null) {
      Tests.perTest();
    }
    if (System.getenv("INTERLOPER_ANDROID_APP") != null) {
      Unshadow.activate();
    }
    // The sandbox must not load copies of the runtime.
    String known = System.getProperty("org.robolectric.packagesToNotAcquire");
    String all = known == null || known.isEmpty() ? "interloper." : known + ",interloper.";
    System.setProperty("org.robolectric.packagesToNotAcquire", all);
    to.addTransformer(new Transformer(users), true);
  }

  /** Called before Robolectric makes a sandbox: from here on the class library is instrumented. */
  public static synchronized void activate() {
    if (isActive) {
      return;
    }
    isActive = true;
    try {
      Path out = Path.of(System.getenv("INTERLOPER_ANDROID_OUT"));
      Files.createDirectories(out);
      openForNames();
      Recorder.open(out);
      retransform();
    } catch (IOException | UnmodifiableClassException | RuntimeException | LinkageError error) {
      System.err.println("interloper: nothing is recorded: " + error);
    }
  }

  /** Lets the runtime see what a FutureTask runs. */
  private static void openForNames() {
    Module ours = Agent.class.getModule();
    Map<String, Set<Module>> opened = Map.of("java.util.concurrent", Set.of(ours));
    instrumentation.redefineModule(
        Object.class.getModule(), Set.of(), Map.of(), opened, Set.of(), Map.of());
  }

  private static void retransform() throws UnmodifiableClassException {
    JdkHooks.activate();
    List<Class<?>> loaded = new ArrayList<>();
    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
      if (JdkHooks.isHooked(type.getName().replace('.', '/'))) {
        loaded.add(type);
      }
    }
    instrumentation.retransformClasses(loaded.toArray(new Class<?>[0]));
  }
}
