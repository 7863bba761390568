package headless;

import android.app.ActivityManager;
import android.app.IServiceConnection;
import android.app.ServiceStartArgs;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ParceledListSlice;
import android.content.pm.ResolveInfo;
import android.content.pm.ServiceInfo;
import android.content.res.CompatibilityInfo;
import android.os.Binder;
import android.os.IBinder;
import android.os.RemoteException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The services of the app, as the system keeps them. Everything runs on the system's thread. */
final class Services {
  private static final class Record {
    final IBinder token = new Binder();
    final ServiceInfo info;
    final List<IServiceConnection> connections = new ArrayList<>();
    boolean isStarted;
    Intent bound;
    IBinder binder;
    int starts;

    Record(ServiceInfo info) {
      this.info = info;
    }

    ComponentName name() {
      return new ComponentName(info.packageName, info.name);
    }
  }

  private final SystemServer server;
  private final Map<ComponentName, Record> services = new LinkedHashMap<>();

  Services(SystemServer server) {
    this.server = server;
  }

  Object start(Intent intent) throws RemoteException {
    Record record = service(intent, true);
    if (record == null) {
      return null;
    }
    record.isStarted = true;
    ServiceStartArgs start = new ServiceStartArgs(false, ++record.starts, 0, new Intent(intent));
    server.client().scheduleServiceArgs(record.token, new ParceledListSlice<>(List.of(start)));
    return record.name();
  }

  Object stop(Intent intent) throws RemoteException {
    Record record = service(intent, false);
    if (record == null) {
      return 0;
    }
    record.isStarted = false;
    endIfUnused(record);
    return 1;
  }

  Object stop(ComponentName name, int start) throws RemoteException {
    Record record = services.get(name);
    if (record == null || start >= 0 && start != record.starts) {
      return false;
    }
    record.isStarted = false;
    endIfUnused(record);
    return true;
  }

  Object bind(Intent intent, IServiceConnection connection) throws RemoteException {
    Record record = service(intent, true);
    if (record == null) {
      return 0;
    }
    record.connections.add(connection);
    if (record.binder != null) {
      connection.connected(record.name(), record.binder, false);
    } else if (record.bound == null) {
      record.bound = new Intent(intent);
      server
          .client()
          .scheduleBindService(
              record.token, record.bound, false, ActivityManager.PROCESS_STATE_SERVICE, 0);
    }
    return 1;
  }

  Object published(IBinder token, IBinder binder) throws RemoteException {
    for (Record record : services.values()) {
      if (record.token == token) {
        record.binder = binder;
        for (IServiceConnection connection : record.connections) {
          connection.connected(record.name(), binder, false);
        }
      }
    }
    return null;
  }

  Object unbind(IServiceConnection connection) throws RemoteException {
    for (Record record : new ArrayList<>(services.values())) {
      if (record.connections.removeIf(one -> one.asBinder() == connection.asBinder())) {
        endIfUnused(record);
      }
    }
    return true;
  }

  private Record service(Intent intent, boolean isCreated) throws RemoteException {
    ResolveInfo found = server.app().getPackageManager().resolveService(intent, 0);
    if (found == null) {
      return null;
    }
    ServiceInfo info = found.serviceInfo;
    ComponentName name = new ComponentName(info.packageName, info.name);
    Record record = services.get(name);
    if (record == null && isCreated) {
      record = new Record(info);
      services.put(name, record);
      server
          .client()
          .scheduleCreateService(
              record.token,
              info,
              CompatibilityInfo.DEFAULT_COMPATIBILITY_INFO,
              ActivityManager.PROCESS_STATE_SERVICE);
    }
    return record;
  }

  private void endIfUnused(Record record) throws RemoteException {
    if (record.isStarted || !record.connections.isEmpty()) {
      return;
    }
    services.values().remove(record);
    if (record.bound != null) {
      server.client().scheduleUnbindService(record.token, record.bound);
    }
    server.client().scheduleStopService(record.token);
  }
}
