package headless;

import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Properties;
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
 * Runs a whole app: {@code headless.Main APP.apk NAME STEPS}, where NAME is the name of the
 * recording without its ending, and STEPS a file of steps or {@code -}.
 *
 * <p>Makes a sandbox of Robolectric without a test runner, and goes on inside it ({@link Run}).
 * Exit status: 0 the steps were performed, 1 the app crashed, 2 the driver failed.
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

  private Main() {}

  public static void main(String[] arguments) {
    int status = 2;
    try {
      AndroidSandbox sandbox = sandbox();
      status = sandbox.runOnMainThread(() -> run(sandbox, arguments));
    } catch (RuntimeException | Error failure) {
      System.err.println("interloper: the driver failed: " + cause(failure));
      failure.printStackTrace();
    }
    // The app's threads must not keep the process alive.
    System.exit(status);
  }

  private static Integer run(AndroidSandbox sandbox, String[] arguments) {
    try {
      Class<?> inside = sandbox.bootstrappedClass(Run.class);
      return (Integer)
          inside
              .getMethod("run", AndroidSandbox.class, String[].class)
              .invoke(null, sandbox, arguments);
    } catch (InvocationTargetException failure) {
      throw new IllegalStateException(failure.getCause());
    } catch (ReflectiveOperationException failure) {
      throw new IllegalStateException(failure);
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
