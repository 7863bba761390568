package androidx.test.runner.intent;

/** Holds the stubber of this process. There is none here. */
public final class IntentStubberRegistry {
  private IntentStubberRegistry() {}

  public static boolean isLoaded() {
    return false;
  }

  public static IntentStubber getInstance() {
    throw new IllegalStateException("there is no stubber");
  }
}
