package headless;

import android.app.Application;
import android.os.Handler;
import android.os.Looper;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import interloper.runtime.AppClasses;
import interloper.runtime.SystemProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
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
 * One life of an app inside a sandbox: its process, the system around it, and the steps of a user.
 *
 * <p>A command is a list of words, and its answer a list of lines, each a word, a tab and a text.
 *
 * <table>
 *   <caption>The commands</caption>
 *   <tr><td>{@code open NAME [picture]}<td>starts the recording and the app's first activity
 *   <tr><td>{@code step LINE TEXT}<td>performs a step
 *   <tr><td>{@code look}<td>answers {@code state} and an {@code action} for all that can be done
 *   <tr><td>{@code picture}<td>answers {@code png} with what the screen shows
 *   <tr><td>{@code close}<td>ends the recording, and answers what was reached
 * </table>
 *
 * <p>Any answer may have {@code error} (the step cannot be performed), or say why the app can do
 * nothing more: {@code crash}, {@code exit}, {@code hang}, {@code full}. {@code busy} says that it
 * never became quiet.
 */
public final class Session implements UnaryOperator<List<String>> {
  private final AndroidSandbox sandbox;
  private final Path apk;
  private final Clock clock = new Clock();
  private final End end = new End(clock);
  private SystemServer server;
  private User user;

  public Session(AndroidSandbox sandbox, Path apk) {
    this.sandbox = sandbox;
    this.apk = apk;
  }

  @Override
  public List<String> apply(List<String> command) {
    try {
      return perform(command);
    } catch (IllegalArgumentException wrong) {
      return List.of("error\t" + wrong.getMessage());
    }
  }

  private List<String> perform(List<String> command) {
    Thread.currentThread().setContextClassLoader(AppClasses.loader());
    List<String> lines = new ArrayList<>();
    switch (command.get(0)) {
      case "open" ->
          // Robolectric sets up where it would run a test. Later commands must not run there: they
          // would count as tasks of the app.
          sandbox.runOnMainThread(() -> open(command.get(1), command.contains("picture")));
      case "step" -> {
        Step step = Step.parse(Integer.parseInt(command.get(1)), command.get(2));
        if (end.isAlive()) {
          user.perform(step);
        }
      }
      case "look" -> lines.addAll(Look.at(server));
      case "picture" -> lines.add("png\t" + Picture.png());
      case "close" -> lines.addAll(close());
      default -> throw new IllegalStateException(command.get(0));
    }
    lines.addAll(end.lines());
    return lines;
  }

  private void open(String name, boolean isDrawn) {
    setUp(isDrawn);
    end.watch();
    clock.start();
    server = new SystemServer();
    try {
      server.install();
    } catch (ReflectiveOperationException changed) {
      throw new IllegalStateException(changed);
    }
    user = new User(server, clock);
    SystemProcess.start(name, Looper.getMainLooper().getThread());
    launch();
  }

  private void launch() {
    Handler main = new Handler(Looper.getMainLooper());
    server.outside(
        "bindApplication",
        () ->
            main.post(
                () -> {
                  Application app = RuntimeEnvironment.getApplication();
                  server.bound(app);
                }));
    clock.settle();
    if (end.isAlive()) {
      server.outside("launcher", server.activities()::launchLauncher);
      clock.settle();
    }
  }

  private List<String> close() {
    boolean isAlive = end.isAlive();
    if (isAlive) {
      clock.settle();
      isAlive = end.isAlive();
    }
    SystemProcess.stop();
    List<String> lines = server.activities().coverage();
    SystemProcess.callbacks().forEach(name -> lines.add("callback\t" + name));
    if (isAlive) {
      // An app that ended otherwise may have stopped the main thread. Then nothing can be reset,
      // and
      // the process is of no more use.
      reset();
    }
    return lines;
  }

  private void reset() {
    user.end();
    server.end();
    clock.end();
    end.endThreads();
    Leftovers.clear();
    sandbox.runOnMainThread(
        () -> {
          sandbox.getTestEnvironment().tearDownApplication();
          sandbox.getTestEnvironment().resetState();
        });
  }

  private void setUp(boolean isDrawn) {
    AndroidManifest manifest =
        new AndroidManifest(null, null, null, null, "", apk) {
          @Override
          public int getTargetSdkVersion() {
            return ShadowPackageParser.callParsePackage(apk).applicationInfo.targetSdkVersion;
          }
        };
    GraphicsMode.Mode graphics = isDrawn ? GraphicsMode.Mode.NATIVE : GraphicsMode.Mode.LEGACY;
    ImmutableMap<Class<?>, Object> modes =
        ImmutableMap.of(
            ConscryptMode.Mode.class, ConscryptMode.Mode.OFF,
            LooperMode.Mode.class, LooperMode.Mode.INSTRUMENTATION_TEST,
            LazyApplication.LazyLoad.class, LazyApplication.LazyLoad.ON,
            GraphicsMode.Mode.class, graphics,
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
