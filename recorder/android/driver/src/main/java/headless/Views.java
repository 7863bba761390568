package headless;

import android.view.View;
import android.view.ViewGroup;
import android.view.ViewRootImpl;
import android.view.WindowManagerGlobal;
import android.widget.TextView;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds views in the windows of the app.
 *
 * <p>A selector is {@code #id}, {@code text=…} or {@code .Class}, and may end in {@code [N]} for
 * the N-th view that it fits, from 1. Views are counted in the order of the view tree.
 */
final class Views {
  private static final int LONGEST_TEXT = 40;

  private Views() {}

  /** A view and the window that it is in. */
  record Found(ViewRootImpl root, View view) {}

  /** Returns the roots of all windows, the topmost last. */
  static List<ViewRootImpl> roots() {
    try {
      Field roots = WindowManagerGlobal.class.getDeclaredField("mRoots");
      roots.setAccessible(true);
      List<ViewRootImpl> found = new ArrayList<>();
      for (Object root : (List<?>) roots.get(WindowManagerGlobal.getInstance())) {
        found.add((ViewRootImpl) root);
      }
      return found;
    } catch (ReflectiveOperationException changed) {
      throw new IllegalStateException(changed);
    }
  }

  /** Finds a visible view, in the topmost window that has it. */
  static Found find(String selector) {
    int number = 1;
    String plain = selector;
    int bracket = selector.lastIndexOf('[');
    if (bracket > 0 && selector.substring(bracket).matches("\\[[1-9][0-9]{0,3}\\]")) {
      number = Integer.parseInt(selector.substring(bracket + 1, selector.length() - 1));
      plain = selector.substring(0, bracket);
    }
    List<ViewRootImpl> roots = roots();
    for (int i = roots.size() - 1; i >= 0; i--) {
      for (View view : visible(roots.get(i).getView())) {
        if (isMeant(view, plain) && --number == 0) {
          return new Found(roots.get(i), view);
        }
      }
    }
    return null;
  }

  /** Returns a selector by which a view is found, among the visible views of the top window. */
  static String selector(View view, List<View> visible) {
    List<String> names = new ArrayList<>();
    if (!id(view).isEmpty()) {
      names.add("#" + id(view));
    }
    String text = view instanceof TextView label ? label.getText().toString() : "";
    // White space is not exact in a file of steps, and a bracket might be taken for a number.
    if (!text.isEmpty()
        && text.length() <= LONGEST_TEXT
        && text.matches("[^\\s\\p{Cntrl}\\[]+( [^\\s\\p{Cntrl}\\[&]+)*")) {
      names.add("text=" + text);
    }
    names.add("." + view.getClass().getSimpleName());
    for (String name : names) {
      if (visible.stream().filter(one -> isMeant(one, name)).count() == 1) {
        return name;
      }
    }
    int number = 0;
    for (View one : visible) {
      number += isMeant(one, names.get(0)) ? 1 : 0;
      if (one == view) {
        break;
      }
    }
    return names.get(0) + "[" + number + "]";
  }

  /** Returns the visible views of a tree, in its order. */
  static List<View> visible(View root) {
    List<View> found = new ArrayList<>();
    collect(root, found);
    return found;
  }

  private static void collect(View view, List<View> found) {
    if (view == null || view.getVisibility() != View.VISIBLE) {
      return;
    }
    if (view.getWidth() > 0 && view.getHeight() > 0) {
      found.add(view);
    }
    if (view instanceof ViewGroup group) {
      for (int i = 0; i < group.getChildCount(); i++) {
        collect(group.getChildAt(i), found);
      }
    }
  }

  private static boolean isMeant(View view, String selector) {
    if (selector.startsWith("text=")) {
      return view instanceof TextView text && selector.substring(5).contentEquals(text.getText());
    }
    if (selector.startsWith(".")) {
      return selector.substring(1).equals(view.getClass().getSimpleName());
    }
    return selector.equals("#" + id(view));
  }

  static String id(View view) {
    try {
      return view.getId() > 0 ? view.getResources().getResourceEntryName(view.getId()) : "";
    } catch (RuntimeException nameless) {
      return "";
    }
  }
}
