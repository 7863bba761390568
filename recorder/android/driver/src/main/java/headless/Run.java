package headless;

import android.app.Application;
import android.os.Handler;
import android.os.Looper;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import interloper.runtime.SystemProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.ConscryptMode;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.annotation.experimental.LazyApplication;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.manifest.AndroidManifest;
import org.robolectric.pluginapi.config.ConfigurationStrategy;
import org.robolectric.shadows.ShadowChoreographer;
import org.robolectric.shadows.ShadowLog;
import org.robolectric.shadows.ShadowPackageParser;

/**
 * A run of an app inside the sandbox: its process, the system around it, and the steps of a user.
 */
public final class Run {
  private Run() {}

  /** Runs the app, and returns the exit status. */
  public static int run(AndroidSandbox sandbox, String[] arguments) throws Exception {
    Thread.currentThread().setContextClassLoader(sandbox.getRobolectricClassLoader());
    List<Step> steps = steps(arguments[2]);
    setUp(sandbox, Path.of(arguments[0]));
    Crash.watch();
    Clock clock = new Clock();
    clock.start();
    Looper main = Looper.getMainLooper();
    SystemServer server = new SystemServer();
    server.install();
    SystemProcess.start(arguments[1], main.getThread());
    try {
      launch(server, clock, new Handler(main));
      User user = new User(server, clock);
      for (Step step : steps) {
        if (Crash.found() != null) {
          break;
        }
        user.perform(step);
      }
      if (Crash.found() == null) {
        clock.settle();
      }
    } finally {
      SystemProcess.stop();
    }
    System.err.println("interloper: " + server.activities().describe());
    return Crash.report() ? 1 : 0;
  }

  private static List<Step> steps(String file) throws IOException {
    return file.equals("-") ? List.of() : Step.parseAll(Files.readString(Path.of(file)));
  }

  private static void launch(SystemServer server, Clock clock, Handler main) {
    server.outside(
        "bindApplication",
        () ->
            main.post(
                () -> {
                  Application app = RuntimeEnvironment.getApplication();
                  server.bound(app);
                }));
    clock.settle();
    if (Crash.found() == null) {
      server.outside("launcher", server.activities()::launchLauncher);
      clock.settle();
    }
  }

  private static void setUp(AndroidSandbox sandbox, Path apk) {
    AndroidManifest manifest =
        new AndroidManifest(null, null, null, null, "", apk) {
          @Override
          public int getTargetSdkVersion() {
            return ShadowPackageParser.callParsePackage(apk).applicationInfo.targetSdkVersion;
          }
        };
    ImmutableMap<Class<?>, Object> modes =
        ImmutableMap.of(
            ConscryptMode.Mode.class, ConscryptMode.Mode.OFF,
            LooperMode.Mode.class, LooperMode.Mode.INSTRUMENTATION_TEST,
            LazyApplication.LazyLoad.class, LazyApplication.LazyLoad.ON,
            GraphicsMode.Mode.class, GraphicsMode.Mode.LEGACY,
            SQLiteMode.Mode.class, SQLiteMode.Mode.NATIVE,
            Config.class, Config.Builder.defaults().setSdk(Main.API).build());
    ConfigurationStrategy.Configuration configuration =
        new ConfigurationStrategy.Configuration() {
          @Override
          public <T> T get(Class<T> type) {
            return type.cast(modes.get(type));
          }

          @Override
          public ImmutableSet<Class<?>> keySet() {
            return modes.keySet();
          }

          @Override
          public ImmutableMap<Class<?>, Object> map() {
            return modes;
          }
        };
    sandbox.getTestEnvironment().setUpApplicationState("app", configuration, manifest);
    ShadowLog.stream = null;
    ShadowChoreographer.setPaused(true);
    ShadowChoreographer.setFrameDelay(Duration.ofMillis(Clock.FRAME));
  }
}
