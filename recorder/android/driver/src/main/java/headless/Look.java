package headless;

import android.app.Activity;
import android.view.View;
import android.view.ViewGroup;
import android.view.ViewRootImpl;
import android.view.Window;
import android.widget.AdapterView;
import android.widget.EditText;
import java.util.ArrayList;
import java.util.List;

/**
 * What an explorer sees: the state of the app, and the steps that are possible in it.
 *
 * <p>The state is the visible activity and a hash of the top window's view tree: classes, ids and
 * what can be done, but not texts, because a counter would make every state new.
 */
final class Look {
  /** How many rows of a list are tried. */
  private static final int ROWS = 2;

  private final List<String> lines = new ArrayList<>();
  private List<View> visible = List.of();
  private int hash = 1;

  private Look() {}

  static List<String> at(SystemServer server) {
    Look look = new Look();
    String activity = server.activities().visible();
    if (activity != null) {
      look.atWindow();
      look.add("back", "");
      look.add("rotate", "");
      look.add("home", "");
    } else if (server.activities().isLeft()) {
      look.add("return", "");
    }
    for (String action : server.broadcasts().actions()) {
      look.add("broadcast", action);
    }
    look.lines.add("state\t" + activity + " " + Integer.toHexString(look.hash));
    return look.lines;
  }

  private void add(String verb, String target) {
    hash = 31 * hash + verb.hashCode();
    lines.add("action\t" + (verb + " " + target).strip());
  }

  private void atWindow() {
    List<ViewRootImpl> roots = Views.roots();
    if (roots.isEmpty()) {
      return;
    }
    View root = roots.get(roots.size() - 1).getView();
    visible = Views.visible(root);
    for (View view : visible) {
      hash = 31 * hash + view.getClass().getName().hashCode();
      hash = 31 * hash + Views.id(view).hashCode();
      at(view);
    }
    if (hasMenu(root)) {
      add("menu", "");
    }
  }

  private void at(View view) {
    if (!view.isEnabled()) {
      return;
    }
    String name = Views.selector(view, visible);
    if (view instanceof EditText) {
      add("type", name + " abc");
    } else if (view.isClickable() && !(view instanceof AdapterView)) {
      add("click", name);
    }
    if (view.isLongClickable() && !(view instanceof EditText)) {
      add("long-press", name);
    }
    if (view.canScrollVertically(1) || view.canScrollVertically(-1)) {
      add("scroll", name + (view.canScrollVertically(1) ? " down" : " up"));
    }
    if (view instanceof AdapterView<?> list && list.getOnItemClickListener() != null) {
      rows(list, "click");
    }
    if (view instanceof AdapterView<?> list && list.getOnItemLongClickListener() != null) {
      rows(list, "long-press");
    }
  }

  private void rows(ViewGroup list, String verb) {
    int count = 0;
    for (int i = 0; i < list.getChildCount() && count < ROWS; i++) {
      View row = list.getChildAt(i);
      if (visible.contains(row) && !row.isClickable()) {
        add(verb, Views.selector(row, visible));
        count++;
      }
    }
  }

  private static boolean hasMenu(View root) {
    Activity activity = activity(root);
    if (activity == null) {
      return false;
    }
    try {
      return activity
                  .getClass()
                  .getMethod("onCreateOptionsMenu", android.view.Menu.class)
                  .getDeclaringClass()
              != Activity.class
          && activity.getWindow().hasFeature(Window.FEATURE_OPTIONS_PANEL);
    } catch (NoSuchMethodException impossible) {
      return false;
    }
  }

  private static Activity activity(View root) {
    android.content.Context context = root.getContext();
    while (context instanceof android.content.ContextWrapper wrapper) {
      if (wrapper instanceof Activity activity) {
        return activity;
      }
      context = wrapper.getBaseContext();
    }
    return null;
  }
}
