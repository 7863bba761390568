package headless;

import android.app.ActivityManager;
import android.app.Application;
import android.app.ResultInfo;
import android.app.servertransaction.ActivityLifecycleItem;
import android.app.servertransaction.ActivityRelaunchItem;
import android.app.servertransaction.ActivityResultItem;
import android.app.servertransaction.ClientTransaction;
import android.app.servertransaction.ClientTransactionItem;
import android.app.servertransaction.DestroyActivityItem;
import android.app.servertransaction.LaunchActivityItem;
import android.app.servertransaction.PauseActivityItem;
import android.app.servertransaction.ResumeActivityItem;
import android.app.servertransaction.StopActivityItem;
import android.content.ComponentName;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.content.res.Configuration;
import android.os.Binder;
import android.os.Bundle;
import android.os.IBinder;
import android.os.RemoteException;
import android.util.MergedConfiguration;
import android.view.ViewRootImpl;
import interloper.runtime.SystemProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The stack of activities, as the system keeps it. Everything runs on the system's thread.
 *
 * <p>What the system waits for: an activity is paused only once it reported that it is resumed; the
 * next one is launched or resumed once the one above has paused; activities are stopped and
 * destroyed once the process has reported that it is idle; an activity comes back only once it
 * reported that it is stopped.
 */
final class Activities {
  private enum State {
    LAUNCHING,
    RESUMED,
    PAUSING,
    PAUSED,
    STOPPING,
    STOPPED,
    DESTROYED
  }

  private static final class Record {
    final IBinder token = new Binder();
    final ActivityInfo info;
    final Intent intent;
    final int number;
    State state = State.LAUNCHING;
    IBinder resultTo;
    int request = -1;
    boolean isFinishing;
    int resultCode;
    Intent result;
    Bundle saved;

    Record(ActivityInfo info, Intent intent, int number) {
      this.info = info;
      this.intent = intent;
      this.number = number;
    }

    String name() {
      return info.name.substring(info.name.lastIndexOf('.') + 1) + "@" + number;
    }
  }

  private final SystemServer server;
  private final List<Record> stack = new ArrayList<>();
  private final List<Record> hidden = new ArrayList<>();
  private final List<Runnable> whenResumed = new ArrayList<>();
  private Runnable whenPaused;
  private final Set<String> reached = new TreeSet<>();
  private int count;

  Activities(SystemServer server) {
    this.server = server;
  }

  // What the app asks for.

  Object start(Intent intent, IBinder resultTo, int request) {
    ResolveInfo found = server.app().getPackageManager().resolveActivity(intent, 0);
    if (found == null) {
      return ActivityManager.START_INTENT_NOT_RESOLVED;
    }
    Record record = record(found.activityInfo, intent);
    if (request >= 0) {
      record.resultTo = resultTo;
      record.request = request;
    }
    start(record);
    return ActivityManager.START_SUCCESS;
  }

  private Record record(ActivityInfo info, Intent intent) {
    ComponentName name = new ComponentName(info.packageName, info.name);
    return new Record(info, new Intent(intent).setComponent(name), ++count);
  }

  private void start(Record next) {
    Record above = top();
    if (whenPaused != null) {
      Runnable first = whenPaused;
      whenPaused =
          () -> {
            first.run();
            launch(next);
          };
    } else if (above == null || above.state == State.PAUSED || above.state == State.STOPPED) {
      launch(next);
    } else if (above.state == State.RESUMED) {
      pause(
          above,
          () -> {
            hidden.add(above);
            launch(next);
          });
    } else {
      // It was asked for in onCreate or onResume: first that activity is resumed.
      whenResumed.add(() -> start(next));
    }
  }

  Object finish(IBinder token, int code, Intent data) {
    Record record = find(token);
    if (record == null || record.isFinishing) {
      return false;
    }
    record.isFinishing = true;
    record.resultCode = code;
    record.result = data;
    Runnable uncover = () -> uncover(record);
    if (record.state == State.RESUMED) {
      pause(record, uncover);
    } else if (whenPaused != null) {
      Runnable first = whenPaused;
      whenPaused =
          () -> {
            first.run();
            uncover.run();
          };
    } else {
      uncover.run();
      runAll(whenResumed);
    }
    return true;
  }

  /** Resumes what is below an activity that finishes. */
  private void uncover(Record finished) {
    Record below = top();
    hidden.add(finished);
    if (below == null) {
      idle();
      return;
    }
    List<ClientTransactionItem> results = new ArrayList<>();
    if (finished.resultTo == below.token) {
      ResultInfo result =
          new ResultInfo(null, finished.request, finished.resultCode, finished.result);
      results.add(ActivityResultItem.obtain(List.of(result)));
    }
    hidden.remove(below);
    below.state = State.LAUNCHING;
    transact(below, resume(), results);
  }

  // What the app reports.

  void resumed(IBinder token) {
    Record record = find(token);
    if (record == null) {
      return;
    }
    record.state = State.RESUMED;
    reached.add(record.info.name);
    SystemProcess.notify("resumed " + record.name());
    List<ViewRootImpl> roots = Views.roots();
    if (!roots.isEmpty()) {
      roots.get(roots.size() - 1).windowFocusChanged(true);
    }
    runAll(whenResumed);
  }

  void paused(IBinder token) {
    find(token).state = State.PAUSED;
    Runnable next = whenPaused;
    whenPaused = null;
    if (next != null) {
      next.run();
    }
  }

  void stopped(IBinder token, Bundle saved) {
    Record record = find(token);
    if (record != null) {
      record.state = State.STOPPED;
      record.saved = saved;
      SystemProcess.notify("stopped " + record.name());
    }
  }

  void destroyed(IBinder token) {
    Record record = find(token);
    if (record != null) {
      record.state = State.DESTROYED;
      stack.remove(record);
    }
  }

  /** The process has nothing to do: stops what is hidden, and destroys what is finished. */
  void idle() {
    List<Record> due = new ArrayList<>(hidden);
    hidden.clear();
    for (Record record : due) {
      if (record.isFinishing) {
        record.state = State.DESTROYED;
        transact(record, DestroyActivityItem.obtain(true, 0), List.of());
        stack.remove(record);
      } else {
        record.state = State.STOPPING;
        transact(record, StopActivityItem.obtain(0), List.of());
      }
    }
  }

  // What comes from outside.

  void launchLauncher() {
    SystemProcess.await("bound");
    PackageManager packages = server.app().getPackageManager();
    String name = server.app().getPackageName();
    Intent main = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER);
    List<ResolveInfo> found = packages.queryIntentActivities(main.setPackage(name), 0);
    if (found.isEmpty()) {
      throw new IllegalStateException("the app has no activity for the launcher");
    }
    main.addFlags(Intent.FLAG_ACTIVITY_NEW_TASK);
    launch(record(found.get(0).activityInfo, main));
  }

  /** The user leaves the app. */
  void home() {
    Record record = top();
    if (record != null && record.state == State.RESUMED) {
      pause(
          record,
          () -> {
            record.state = State.STOPPING;
            transact(record, StopActivityItem.obtain(0), List.of());
          });
    }
  }

  /** The user comes back. */
  void comeBack() {
    Record record = top();
    if (record == null) {
      launchLauncher();
    } else if (record.state == State.STOPPED) {
      SystemProcess.await("stopped " + record.name());
      record.state = State.LAUNCHING;
      transact(record, resume(), List.of());
    }
  }

  /** The user turns the device, so that the activity is made anew. */
  void rotate() {
    Record record = top();
    if (record == null || record.state != State.RESUMED) {
      return;
    }
    SystemProcess.await("resumed " + record.name());
    record.state = State.LAUNCHING;
    Configuration now = new Configuration(server.app().getResources().getConfiguration());
    ClientTransactionItem relaunch =
        ActivityRelaunchItem.obtain(null, null, 0, new MergedConfiguration(now), false);
    transact(record, resume(), List.of(relaunch));
  }

  /** Lets an input follow the moment at which the top activity was resumed. */
  void awaitTop() {
    Record record = top();
    if (record != null && record.state == State.RESUMED) {
      SystemProcess.await("resumed " + record.name());
    }
  }

  /** Returns the name of the activity that the user sees, or null. */
  String visible() {
    Record record = top();
    return record == null || record.state != State.RESUMED ? null : record.info.name;
  }

  /** Returns whether the user has left the app and can come back. */
  boolean isLeft() {
    Record record = top();
    return record != null && record.state == State.STOPPED;
  }

  /** Returns which activities were resumed, and how many the app declares. */
  List<String> coverage() {
    List<String> lines = new ArrayList<>();
    reached.forEach(name -> lines.add("activity\t" + name));
    Application app = server.app();
    try {
      ActivityInfo[] all =
          app == null
              ? null
              : app.getPackageManager()
                  .getPackageInfo(app.getPackageName(), PackageManager.GET_ACTIVITIES)
                  .activities;
      lines.add("activities\t" + (all == null ? 0 : all.length));
    } catch (PackageManager.NameNotFoundException unknown) {
      lines.add("activities\t0");
    }
    return lines;
  }

  // How the system acts.

  private Record top() {
    for (int i = stack.size() - 1; i >= 0; i--) {
      if (!stack.get(i).isFinishing) {
        return stack.get(i);
      }
    }
    return null;
  }

  private Record find(IBinder token) {
    for (Record record : stack) {
      if (record.token == token) {
        return record;
      }
    }
    return null;
  }

  private static void runAll(List<Runnable> actions) {
    List<Runnable> due = new ArrayList<>(actions);
    actions.clear();
    due.forEach(Runnable::run);
  }

  private static ActivityLifecycleItem resume() {
    return ResumeActivityItem.obtain(true, false);
  }

  private void launch(Record record) {
    stack.add(record);
    Configuration now = new Configuration(server.app().getResources().getConfiguration());
    ClientTransactionItem launch =
        LaunchActivityItem.obtain(
            new Intent(record.intent),
            record.number,
            record.info,
            now,
            new Configuration(),
            0,
            null,
            null,
            ActivityManager.PROCESS_STATE_TOP,
            record.saved,
            null,
            null,
            null,
            null,
            true,
            null,
            new Binder(),
            server.controller(),
            new Binder(),
            false,
            null);
    transact(record, resume(), List.of(launch));
  }

  private void pause(Record record, Runnable next) {
    SystemProcess.await("resumed " + record.name());
    record.state = State.PAUSING;
    whenPaused = next;
    transact(
        record, PauseActivityItem.obtain(record.isFinishing, true, 0, false, false), List.of());
  }

  private void transact(
      Record record, ActivityLifecycleItem state, List<ClientTransactionItem> callbacks) {
    ClientTransaction transaction = ClientTransaction.obtain(server.client(), record.token);
    callbacks.forEach(transaction::addCallback);
    transaction.setLifecycleStateRequest(state);
    try {
      transaction.schedule();
    } catch (RemoteException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
