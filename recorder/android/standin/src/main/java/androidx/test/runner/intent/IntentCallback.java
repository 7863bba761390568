package androidx.test.runner.intent;

import android.content.Intent;

/** Is told when an intent is sent. */
public interface IntentCallback {
  void onIntentSent(Intent intent);
}
