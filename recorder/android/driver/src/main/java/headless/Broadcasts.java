package headless;

import android.app.Application;
import android.content.ComponentName;
import android.content.IIntentReceiver;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.pm.ActivityInfo;
import android.content.pm.ResolveInfo;
import android.content.res.CompatibilityInfo;
import android.os.RemoteException;
import interloper.runtime.SystemProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Broadcasts, as the system delivers them. A receiver can be reached only once it is registered.
 * From target version 26 on, broadcasts without a component or package do not reach receivers of
 * the manifest.
 */
final class Broadcasts {
  private static final int LIMITED = 26;

  private record Receiver(List<IntentFilter> filters, int number) {
    String handle() {
      return "receiver " + number;
    }
  }

  private final SystemServer server;
  private final Map<IIntentReceiver, Receiver> receivers = new LinkedHashMap<>();
  private int count;

  Broadcasts(SystemServer server) {
    this.server = server;
  }

  void register(IIntentReceiver receiver, IntentFilter filter) {
    Receiver known =
        receivers.computeIfAbsent(receiver, any -> new Receiver(new ArrayList<>(), ++count));
    known.filters.add(filter);
    SystemProcess.notify(known.handle());
  }

  void unregister(IIntentReceiver receiver) {
    receivers.remove(receiver);
  }

  /** Returns the actions for which the app has registered receivers. */
  Set<String> actions() {
    Set<String> actions = new TreeSet<>();
    for (Receiver receiver : receivers.values()) {
      for (IntentFilter filter : receiver.filters) {
        filter.actionsIterator().forEachRemaining(actions::add);
      }
    }
    return actions;
  }

  Object send(Intent intent) {
    SystemProcess.await("bound");
    try {
      for (Map.Entry<IIntentReceiver, Receiver> entry : receivers.entrySet()) {
        if (isFor(intent, entry.getValue())) {
          SystemProcess.await(entry.getValue().handle());
          toRegistered(intent, entry.getKey());
        }
      }
      toManifest(intent);
    } catch (RemoteException failure) {
      throw new IllegalStateException(failure);
    }
    return 0;
  }

  private boolean isFor(Intent intent, Receiver receiver) {
    return receiver.filters.stream()
        .anyMatch(
            one -> one.match(server.app().getContentResolver(), intent, false, "headless") >= 0);
  }

  private void toRegistered(Intent intent, IIntentReceiver receiver) throws RemoteException {
    Intent copy = new Intent(intent);
    String to = server.app().getPackageName();
    server
        .client()
        .scheduleRegisteredReceiver(receiver, copy, 0, null, null, false, false, true, 0, 0, 0, to);
  }

  private void toManifest(Intent intent) throws RemoteException {
    Application app = server.app();
    boolean isExplicit = intent.getComponent() != null || intent.getPackage() != null;
    if (!isExplicit && app.getApplicationInfo().targetSdkVersion >= LIMITED) {
      return;
    }
    for (ResolveInfo found : app.getPackageManager().queryBroadcastReceivers(intent, 0)) {
      ActivityInfo info = found.activityInfo;
      ComponentName name = new ComponentName(info.packageName, info.name);
      server
          .client()
          .scheduleReceiver(
              new Intent(intent).setComponent(name),
              info,
              CompatibilityInfo.DEFAULT_COMPATIBILITY_INFO,
              0,
              null,
              null,
              false,
              true,
              0,
              0,
              0,
              app.getPackageName());
    }
  }
}
