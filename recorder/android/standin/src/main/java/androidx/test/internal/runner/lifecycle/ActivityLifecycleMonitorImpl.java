package androidx.test.internal.runner.lifecycle;

import android.app.Activity;
import androidx.test.runner.lifecycle.ActivityLifecycleCallback;
import androidx.test.runner.lifecycle.ActivityLifecycleMonitor;
import androidx.test.runner.lifecycle.Stage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** The monitor that Robolectric tells about every activity, on the main thread. */
public final class ActivityLifecycleMonitorImpl implements ActivityLifecycleMonitor {
  private final List<ActivityLifecycleCallback> callbacks = new ArrayList<>();
  private final Map<Activity, Stage> stages = new WeakHashMap<>();

  @Override
  public synchronized void addLifecycleCallback(ActivityLifecycleCallback callback) {
    callbacks.add(callback);
  }

  @Override
  public synchronized void removeLifecycleCallback(ActivityLifecycleCallback callback) {
    callbacks.remove(callback);
  }

  @Override
  public synchronized Stage getLifecycleStageOf(Activity activity) {
    Stage stage = stages.get(activity);
    if (stage == null) {
      throw new IllegalArgumentException("nothing is known about " + activity);
    }
    return stage;
  }

  @Override
  public synchronized Collection<Activity> getActivitiesInStage(Stage stage) {
    List<Activity> found = new ArrayList<>();
    stages.forEach(
        (activity, now) -> {
          if (now == stage) {
            found.add(activity);
          }
        });
    return found;
  }

  /** Notes the new state of an activity. */
  public void signalLifecycleChange(Stage stage, Activity activity) {
    List<ActivityLifecycleCallback> told;
    synchronized (this) {
      stages.put(activity, stage);
      told = new ArrayList<>(callbacks);
    }
    told.forEach(callback -> callback.onActivityLifecycleChanged(activity, stage));
  }
}
