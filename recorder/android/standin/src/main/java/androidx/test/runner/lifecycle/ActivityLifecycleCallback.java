package androidx.test.runner.lifecycle;

import android.app.Activity;

/** Is told when the state of an activity changes. */
public interface ActivityLifecycleCallback {
  void onActivityLifecycleChanged(Activity activity, Stage stage);
}
