package androidx.test.platform.app;

import android.app.Instrumentation;
import android.os.Bundle;

/** Holds the instrumentation of this process. */
public final class InstrumentationRegistry {
  private static volatile Instrumentation instrumentation;
  private static volatile Bundle arguments;

  private InstrumentationRegistry() {}

  public static Instrumentation getInstrumentation() {
    if (instrumentation == null) {
      throw new IllegalStateException("there is no instrumentation yet");
    }
    return instrumentation;
  }

  public static Bundle getArguments() {
    return arguments == null ? new Bundle() : new Bundle(arguments);
  }

  public static void registerInstance(Instrumentation instance, Bundle with) {
    instrumentation = instance;
    arguments = new Bundle(with);
  }
}
