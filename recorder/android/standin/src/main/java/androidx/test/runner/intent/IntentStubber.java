package androidx.test.runner.intent;

import android.app.Instrumentation.ActivityResult;
import android.content.Intent;

/** Answers intents in place of the activities that they name. */
public interface IntentStubber {
  ActivityResult getActivityResultForIntent(Intent intent);
}
