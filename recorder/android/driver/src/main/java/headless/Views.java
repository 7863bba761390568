package headless;

import android.view.View;
import android.view.ViewGroup;
import android.view.ViewRootImpl;
import android.view.WindowManagerGlobal;
import android.widget.TextView;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/** Finds views in the windows of the app. */
final class Views {
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

  /** Finds a visible view by {@code #id} or {@code text=…}, in the topmost window that has it. */
  static Found find(String selector) {
    List<ViewRootImpl> roots = roots();
    for (int i = roots.size() - 1; i >= 0; i--) {
      View found = find(roots.get(i).getView(), selector);
      if (found != null) {
        return new Found(roots.get(i), found);
      }
    }
    return null;
  }

  private static View find(View view, String selector) {
    if (view == null || view.getVisibility() != View.VISIBLE) {
      return null;
    }
    if (isMeant(view, selector) && view.getWidth() > 0 && view.getHeight() > 0) {
      return view;
    }
    if (view instanceof ViewGroup group) {
      for (int i = 0; i < group.getChildCount(); i++) {
        View found = find(group.getChildAt(i), selector);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private static boolean isMeant(View view, String selector) {
    if (selector.startsWith("text=")) {
      return view instanceof TextView text && selector.substring(5).contentEquals(text.getText());
    }
    return selector.equals("#" + id(view));
  }

  private static String id(View view) {
    try {
      return view.getId() > 0 ? view.getResources().getResourceEntryName(view.getId()) : "";
    } catch (RuntimeException nameless) {
      return "";
    }
  }
}
