package androidx.test.runner.lifecycle;

/** Tells others when the state of the application changes. */
public interface ApplicationLifecycleMonitor {
  void addLifecycleCallback(ApplicationLifecycleCallback callback);

  void removeLifecycleCallback(ApplicationLifecycleCallback callback);
}
