package androidx.test.runner.intent;

/** Holds the monitor of this process. */
public final class IntentMonitorRegistry {
  private static volatile IntentMonitor monitor;

  private IntentMonitorRegistry() {}

  public static IntentMonitor getInstance() {
    return monitor;
  }

  public static void registerInstance(IntentMonitor instance) {
    monitor = instance;
  }
}
