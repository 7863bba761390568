package androidx.test.runner.lifecycle;

import android.app.Application;

/** Is told when the state of the application changes. */
public interface ApplicationLifecycleCallback {
  void onApplicationLifecycleChanged(Application application, ApplicationStage stage);
}
