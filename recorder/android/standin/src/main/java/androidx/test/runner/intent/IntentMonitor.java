package androidx.test.runner.intent;

/** Tells others which intents are sent. */
public interface IntentMonitor {
  void addIntentCallback(IntentCallback callback);

  void removeIntentCallback(IntentCallback callback);
}
