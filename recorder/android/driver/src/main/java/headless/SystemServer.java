package headless;

import android.app.ActivityManager;
import android.app.ActivityTaskManager;
import android.app.ActivityThread;
import android.app.Application;
import android.app.IActivityClientController;
import android.app.IActivityManager;
import android.app.IActivityTaskManager;
import android.app.IApplicationThread;
import android.app.IServiceConnection;
import android.app.Instrumentation;
import android.content.ComponentName;
import android.content.IIntentReceiver;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Binder;
import android.os.Bundle;
import android.os.IBinder;
import android.util.Singleton;
import interloper.runtime.SystemProcess;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.Callable;
import org.robolectric.RuntimeEnvironment;

/**
 * Stands where the interfaces of the system are, and answers through {@link IApplicationThread}.
 * All code on the app's side is Android's own, so every life-cycle callback is a message of the
 * main thread as on a device.
 */
final class SystemServer {
  private static final Set<String> ONE_WAY =
      Set.of("activityIdle", "activityResumed", "activityStopped", "activityDestroyed");

  private final SystemThread thread = new SystemThread("system/activity");
  private final Activities activities = new Activities(this);
  private final Services services = new Services(this);
  private final Broadcasts broadcasts = new Broadcasts(this);
  private IActivityClientController controller;
  private IApplicationThread client;
  private volatile Application app;

  Activities activities() {
    return activities;
  }

  Broadcasts broadcasts() {
    return broadcasts;
  }

  Application app() {
    return app;
  }

  IApplicationThread client() {
    return client;
  }

  IActivityClientController controller() {
    return controller;
  }

  /** The application was created, on the main thread. */
  void bound(Application created) {
    app = created;
    SystemProcess.notify("bound");
  }

  /** Performs something that nobody in the app asked for. */
  void outside(String what, Runnable action) {
    thread.outside(what, action);
  }

  void end() {
    thread.end();
  }

  /** Puts this in the place of the system. */
  void install() throws ReflectiveOperationException {
    ActivityThread process = (ActivityThread) RuntimeEnvironment.getActivityThread();
    client = process.getApplicationThread();
    controller = proxy(IActivityClientController.class);
    // Without a profiler, the process never reports that it is idle, and nothing is ever stopped.
    Constructor<?> profiler =
        Class.forName("android.app.ActivityThread$Profiler").getDeclaredConstructor();
    profiler.setAccessible(true);
    set(ActivityThread.class, process, "mProfiler", profiler.newInstance());
    instrument(process);
    replace(ActivityManager.class, "IActivityManagerSingleton", proxy(IActivityManager.class));
    replace(
        ActivityTaskManager.class,
        "IActivityTaskManagerSingleton",
        proxy(IActivityTaskManager.class));
  }

  /** Creates providers where Android does: before the application's own code. */
  private static void instrument(ActivityThread process) throws ReflectiveOperationException {
    Providers instrumentation = new Providers();
    for (Field field : Instrumentation.class.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && !field.getName().startsWith("__robo")) {
        field.setAccessible(true);
        field.set(instrumentation, field.get(process.getInstrumentation()));
      }
    }
    instrumentation.onCreate(new Bundle());
    set(ActivityThread.class, process, "mInstrumentation", instrumentation);
  }

  private static void set(Class<?> type, Object of, String name, Object value)
      throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    field.set(of, value);
  }

  private static void replace(Class<?> type, String name, Object value)
      throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    set(Singleton.class, field.get(null), "mInstance", value);
  }

  private <T> T proxy(Class<T> type) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == arguments[0];
                  case "toString" -> type.getName();
                  case "asBinder" -> new Binder();
                  case "getActivityClientController" -> controller;
                  default -> answer(method, arguments);
                });
    return type.cast(proxy);
  }

  private Object answer(Method method, Object[] arguments) {
    String name = method.getName();
    Callable<Object> action = action(name, arguments);
    if (action == null) {
      return plain(name, method.getReturnType());
    }
    Object result = thread.call(name, ONE_WAY.contains(name), action);
    return result == null ? plain(name, method.getReturnType()) : result;
  }

  /** Returns what the system does for a call, or null if it does nothing. */
  private Callable<Object> action(String name, Object[] a) {
    return switch (name) {
      case "startActivity", "startActivityAsUser" ->
          () -> activities.start((Intent) a[3], (IBinder) a[5], (Integer) a[7]);
      case "activityResumed" -> quiet(() -> activities.resumed((IBinder) a[0]));
      case "activityIdle" -> quiet(activities::idle);
      case "activityPaused" -> quiet(() -> activities.paused((IBinder) a[0]));
      case "activityStopped" -> quiet(() -> activities.stopped((IBinder) a[0], (Bundle) a[1]));
      case "activityDestroyed" -> quiet(() -> activities.destroyed((IBinder) a[0]));
      case "finishActivity" ->
          () -> activities.finish((IBinder) a[0], (Integer) a[1], (Intent) a[2]);
      case "onBackPressed" -> () -> activities.finish((IBinder) a[0], 0, null);
      case "startService" -> () -> services.start((Intent) a[1]);
      case "stopService" -> () -> services.stop((Intent) a[1]);
      case "stopServiceToken" -> () -> services.stop((ComponentName) a[0], (Integer) a[2]);
      case "bindService", "bindServiceInstance" ->
          () -> services.bind((Intent) a[2], (IServiceConnection) a[4]);
      case "unbindService" -> () -> services.unbind((IServiceConnection) a[0]);
      case "publishService" -> () -> services.published((IBinder) a[0], (IBinder) a[2]);
      case "registerReceiverWithFeature" ->
          quiet(() -> broadcasts.register((IIntentReceiver) a[4], (IntentFilter) a[5]));
      case "unregisterReceiver" -> quiet(() -> broadcasts.unregister((IIntentReceiver) a[0]));
      case "broadcastIntent" -> () -> broadcasts.send((Intent) a[1]);
      case "broadcastIntentWithFeature" -> () -> broadcasts.send((Intent) a[2]);
      default -> null;
    };
  }

  private static Callable<Object> quiet(Runnable action) {
    return () -> {
      action.run();
      return null;
    };
  }

  private static Object plain(String name, Class<?> type) {
    if (type == boolean.class) {
      return name.equals("isTopOfTask") || name.equals("willActivityBeVisible");
    }
    if (type == int.class) {
      return name.equals("getTaskForActivity") ? 1 : 0;
    }
    if (type == long.class) {
      return 0L;
    }
    return type == float.class ? (Object) 0f : null;
  }
}
