package androidx.test.internal.runner.intent;

import android.content.Intent;
import androidx.test.runner.intent.IntentCallback;
import androidx.test.runner.intent.IntentMonitor;
import java.util.ArrayList;
import java.util.List;

/** The monitor that Robolectric tells about every intent. */
public final class IntentMonitorImpl implements IntentMonitor {
  private final List<IntentCallback> callbacks = new ArrayList<>();

  @Override
  public synchronized void addIntentCallback(IntentCallback callback) {
    callbacks.add(callback);
  }

  @Override
  public synchronized void removeIntentCallback(IntentCallback callback) {
    callbacks.remove(callback);
  }

  /** Passes an intent on. */
  public void signalIntent(Intent intent) {
    List<IntentCallback> told;
    synchronized (this) {
      told = new ArrayList<>(callbacks);
    }
    told.forEach(callback -> callback.onIntentSent(new Intent(intent)));
  }
}
