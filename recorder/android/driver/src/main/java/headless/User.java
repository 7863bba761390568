package headless;

import android.content.Intent;
import android.os.SystemClock;
import android.view.InputDevice;
import android.view.InputEvent;
import android.view.KeyCharacterMap;
import android.view.KeyEvent;
import android.view.MotionEvent;
import android.view.View;
import android.view.ViewConfiguration;
import android.view.ViewRootImpl;
import java.util.List;

/**
 * Performs steps as a user does: by touches and keys that arrive at a window's root, from the
 * thread {@code system/input}, and by wishes that the system carries out. An input follows the
 * moment at which its activity was resumed, and nothing else of the app.
 */
final class User {
  /** How often the app may become quiet before a view is there. */
  private static final int PATIENCE = 10;

  private final SystemServer server;
  private final Clock clock;
  private final SystemThread input = new SystemThread("system/input");

  User(SystemServer server, Clock clock) {
    this.server = server;
    this.clock = clock;
  }

  void perform(Step step) {
    switch (step.verb()) {
      case "click" -> press(step, 0);
      case "long-press" -> press(step, ViewConfiguration.getLongPressTimeout() + 100L);
      case "scroll" -> scroll(step);
      case "type" -> type(step);
      case "menu" -> menu(step);
      case "back" -> key(top(), KeyEvent.KEYCODE_BACK);
      case "home" -> server.outside("home", server.activities()::home);
      case "return" -> server.outside("return", server.activities()::comeBack);
      case "rotate" -> server.outside("rotate", server.activities()::rotate);
      case "broadcast" ->
          server.outside("broadcast", () -> server.broadcasts().send(intent(step.target())));
      case "wait" -> clock.grant(Long.parseLong(step.target()));
      case "wait-for" -> find(step);
      default -> throw new IllegalStateException(step.verb());
    }
    if (step.isWaitedFor()) {
      clock.settle();
    }
  }

  void end() {
    input.end();
  }

  /** Parses an action and its extras: {@code ACTION key=value …}. */
  private static Intent intent(String text) {
    String[] words = text.split("\\s+");
    Intent intent = new Intent(words[0]);
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals > 0) {
        intent.putExtra(words[i].substring(0, equals), words[i].substring(equals + 1));
      }
    }
    return intent;
  }

  /** Waits until a view is there, or the time is over. */
  private Views.Found find(Step step) {
    int tries = 0;
    while (true) {
      Views.Found found = Views.find(step.target());
      if (found != null || !End.isRunning()) {
        return found;
      }
      if (++tries > PATIENCE) {
        throw new IllegalArgumentException(
            "line " + step.line() + ": there is no visible view " + step.target());
      }
      clock.settle();
    }
  }

  private void press(Step step, long millis) {
    Views.Found found = find(step);
    if (found == null) {
      return;
    }
    float[] at = centre(found.view(), 0.5f);
    send(found.root(), touch(MotionEvent.ACTION_DOWN, at[0], at[1]));
    if (millis > 0) {
      clock.grant(millis);
      clock.settle();
    }
    send(found.root(), touch(MotionEvent.ACTION_UP, at[0], at[1]));
  }

  /** Opens the options menu, and chooses an item if one is named. */
  private void menu(Step step) {
    key(top(), KeyEvent.KEYCODE_MENU);
    if (!step.target().isEmpty()) {
      clock.settle();
      press(new Step(step.line(), "click", "text=" + step.target(), "", true), 0);
    }
  }

  private void scroll(Step step) {
    boolean isUp = step.target().endsWith(" up");
    String selector = step.target().replaceFirst(" (up|down)$", "");
    Views.Found found = find(new Step(step.line(), step.verb(), selector, "", step.isWaitedFor()));
    if (found == null) {
      return;
    }
    float[] from = centre(found.view(), isUp ? 0.2f : 0.8f);
    float part = found.view().getHeight() * (isUp ? 0.1f : -0.1f);
    send(found.root(), touch(MotionEvent.ACTION_DOWN, from[0], from[1]));
    for (int i = 1; i <= 6; i++) {
      send(found.root(), touch(MotionEvent.ACTION_MOVE, from[0], from[1] + i * part));
    }
    send(found.root(), touch(MotionEvent.ACTION_UP, from[0], from[1] + 6 * part));
  }

  private void type(Step step) {
    press(step, 0);
    clock.settle();
    KeyCharacterMap keys = KeyCharacterMap.load(KeyCharacterMap.VIRTUAL_KEYBOARD);
    KeyEvent[] events = keys.getEvents(step.text().toCharArray());
    ViewRootImpl root = top();
    for (KeyEvent event : events == null ? new KeyEvent[0] : events) {
      if (root != null) {
        send(root, event);
      }
    }
  }

  private static ViewRootImpl top() {
    List<ViewRootImpl> roots = Views.roots();
    return roots.isEmpty() ? null : roots.get(roots.size() - 1);
  }

  private void key(ViewRootImpl root, int code) {
    if (root != null) {
      send(root, new KeyEvent(KeyEvent.ACTION_DOWN, code));
      send(root, new KeyEvent(KeyEvent.ACTION_UP, code));
    }
  }

  private void send(ViewRootImpl root, InputEvent event) {
    input.perform(
        () -> {
          server.activities().awaitTop();
          root.dispatchInputEvent(event);
        });
  }

  private static float[] centre(View view, float height) {
    int[] at = new int[2];
    view.getLocationInWindow(at);
    return new float[] {at[0] + view.getWidth() / 2f, at[1] + view.getHeight() * height};
  }

  private static MotionEvent touch(int action, float x, float y) {
    long now = SystemClock.uptimeMillis();
    MotionEvent event = MotionEvent.obtain(now, now, action, x, y, 0);
    event.setSource(InputDevice.SOURCE_TOUCHSCREEN);
    return event;
  }
}
