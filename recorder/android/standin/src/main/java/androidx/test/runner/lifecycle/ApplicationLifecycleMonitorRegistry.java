package androidx.test.runner.lifecycle;

/** Holds the monitor of this process. */
public final class ApplicationLifecycleMonitorRegistry {
  private static volatile ApplicationLifecycleMonitor monitor;

  private ApplicationLifecycleMonitorRegistry() {}

  public static ApplicationLifecycleMonitor getInstance() {
    if (monitor == null) {
      throw new IllegalStateException("there is no monitor yet");
    }
    return monitor;
  }

  public static void registerInstance(ApplicationLifecycleMonitor instance) {
    monitor = instance;
  }
}
