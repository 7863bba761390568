package headless;

import static java.nio.charset.StandardCharsets.UTF_8;

import interloper.runtime.AppClasses;
import interloper.runtime.SystemProcess;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.robolectric.android.AndroidSdkShadowMatcher;
import org.robolectric.annotation.ResourcesMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.interceptors.AndroidInterceptors;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.internal.SandboxManager;
import org.robolectric.internal.bytecode.ClassHandlerBuilder;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.internal.bytecode.Interceptors;
import org.robolectric.internal.bytecode.ShadowMap;
import org.robolectric.internal.bytecode.ShadowProviders;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.SdkProvider;
import org.robolectric.util.inject.Injector;

/**
 * Runs a whole app: {@code headless.Main APP.apk CLASSES.jar}. The program that starts it says what
 * to do, in lines on standard input, and gets answers on standard output ({@link Session}).
 *
 * <p>There is one sandbox of Robolectric, without a test runner. Each {@code open} loads the
 * classes of the app anew, and {@code close} resets the state of the framework, as between two
 * tests. The process ends when its input does, so that it never outlives the program that started
 * it.
 */
public final class Main {
  static final int API = 34;

  private static final String[] OUTSIDE = {
    "interloper.",
    "org.bouncycastle.",
    "org.conscrypt.",
    "org.objectweb.asm",
    "org.robolectric.manifest.",
    "org.robolectric.res.",
    "org.w3c.",
    "org.xml."
  };
  private static final String[] FRAMEWORK = {
    "dalvik.",
    "libcore.",
    "android.",
    "com.android.internal.",
    "org.apache.http.",
    "org.ccil.cowan.tagsoup.",
    "org.kxml2."
  };
  private static final String[] OF_THE_APP = {
    "android.support.", "android.arch.", "android.R", "androidx."
  };

  private final Path apk;
  private final Path classes;
  private final PrintStream answers;
  private AndroidSandbox sandbox;
  private UnaryOperator<List<String>> session;

  private Main(Path apk, Path classes, PrintStream answers) {
    this.apk = apk;
    this.classes = classes;
    this.answers = answers;
  }

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), false, UTF_8);
    // What the app prints is not an answer.
    System.setOut(System.err);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    Main main = new Main(Path.of(arguments[0]), Path.of(arguments[1]), answers);
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      main.answer(List.of(line.split("\t")));
    }
    // The app's threads must not keep the process alive, nor its shutdown hooks.
    SystemProcess.stop();
    Runtime.getRuntime().halt(0);
  }

  /** Answers a command: any number of lines, and a line with a full stop. */
  private void answer(List<String> command) {
    List<String> lines;
    try {
      lines = perform(command);
    } catch (RuntimeException | Error failure) {
      failure.printStackTrace();
      lines = List.of("failed\t" + cause(failure));
    }
    for (String line : lines) {
      answers.append(line.replace("\r", "").replace("\n", "\u2028")).append('\n');
    }
    answers.append(".\n").flush();
  }

  private List<String> perform(List<String> command) {
    switch (command.get(0)) {
      case "open" -> {
        if (sandbox == null) {
          sandbox = sandbox();
        }
        AppClasses.start(List.of(classes, apk), sandbox.getRobolectricClassLoader());
        session = sandbox.runOnMainThread(this::begin);
        return session.apply(command);
      }
      case "close" -> {
        List<String> lines = session.apply(command);
        session = null;
        return lines;
      }
      default -> {
        return session.apply(command);
      }
    }
  }

  /** Makes a session inside the sandbox, whose main thread calls this. */
  @SuppressWarnings("unchecked")
  private UnaryOperator<List<String>> begin() {
    try {
      Class<?> inside = sandbox.bootstrappedClass(Session.class);
      return (UnaryOperator<List<String>>)
          inside.getConstructor(AndroidSandbox.class, Path.class).newInstance(sandbox, apk);
    } catch (ReflectiveOperationException failure) {
      throw new IllegalStateException(cause(failure));
    }
  }

  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static AndroidSandbox sandbox() {
    Injector injector =
        new Injector.Builder().bind(Properties.class, System.getProperties()).build();
    Sdk sdk =
        injector.getInstance(SdkProvider.class).getSdks().stream()
            .filter(one -> one.getApiLevel() == API)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("there is no SDK " + API));
    Interceptors interceptors = new Interceptors(AndroidInterceptors.all());
    InstrumentationConfiguration.Builder configuration = new InstrumentationConfiguration.Builder();
    interceptors.getAllMethodRefs().forEach(configuration::addInterceptedMethod);
    for (String name : OUTSIDE) {
      configuration.doNotAcquirePackage(name);
    }
    for (String name : OF_THE_APP) {
      configuration.doNotInstrumentPackage(name);
    }
    for (String name : FRAMEWORK) {
      configuration.addInstrumentedPackage(name);
    }
    configuration
        .doNotAcquireClass("org.robolectric.shadow.api.ShadowPicker")
        .doNotInstrumentClass("android.app.RecoverableSecurityException")
        .addClassNameTranslation("sun.misc.Cleaner", "java.lang.ref.Cleaner$Cleanable");
    AndroidSandbox sandbox =
        injector
            .getInstance(SandboxManager.SandboxBuilder.class)
            .build(
                configuration.build(), sdk, sdk, ResourcesMode.Mode.BINARY, SQLiteMode.Mode.NATIVE);
    ShadowMap shadows = injector.getInstance(ShadowProviders.class).getBaseShadowMap();
    sandbox.replaceShadowMap(shadows);
    sandbox.configure(
        injector
            .getInstance(ClassHandlerBuilder.class)
            .build(shadows, new AndroidSdkShadowMatcher(API), interceptors, List.of()),
        interceptors);
    return sandbox;
  }
}
