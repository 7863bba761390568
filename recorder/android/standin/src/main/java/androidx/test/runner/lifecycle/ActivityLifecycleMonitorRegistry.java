package androidx.test.runner.lifecycle;

/** Holds the monitor of this process. */
public final class ActivityLifecycleMonitorRegistry {
  private static volatile ActivityLifecycleMonitor monitor;

  private ActivityLifecycleMonitorRegistry() {}

  public static ActivityLifecycleMonitor getInstance() {
    if (monitor == null) {
      throw new IllegalStateException("there is no monitor yet");
    }
    return monitor;
  }

  public static void registerInstance(ActivityLifecycleMonitor instance) {
    monitor = instance;
  }
}
