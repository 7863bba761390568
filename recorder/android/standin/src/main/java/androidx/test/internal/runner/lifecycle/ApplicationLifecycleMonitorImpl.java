package androidx.test.internal.runner.lifecycle;

import android.app.Application;
import androidx.test.runner.lifecycle.ApplicationLifecycleCallback;
import androidx.test.runner.lifecycle.ApplicationLifecycleMonitor;
import androidx.test.runner.lifecycle.ApplicationStage;
import java.util.ArrayList;
import java.util.List;

/** The monitor that Robolectric tells about the application, on the main thread. */
public final class ApplicationLifecycleMonitorImpl implements ApplicationLifecycleMonitor {
  private final List<ApplicationLifecycleCallback> callbacks = new ArrayList<>();

  @Override
  public synchronized void addLifecycleCallback(ApplicationLifecycleCallback callback) {
    callbacks.add(callback);
  }

  @Override
  public synchronized void removeLifecycleCallback(ApplicationLifecycleCallback callback) {
    callbacks.remove(callback);
  }

  /** Notes the new state of the application. */
  public void signalLifecycleChange(Application application, ApplicationStage stage) {
    List<ApplicationLifecycleCallback> told;
    synchronized (this) {
      told = new ArrayList<>(callbacks);
    }
    told.forEach(callback -> callback.onApplicationLifecycleChanged(application, stage));
  }
}
