package headless;

import java.lang.reflect.Field;
import java.util.Map;

/**
 * Caches of the framework that hold classes of an app by their names. Robolectric does not reset
 * them, because the classes of a test stay.
 */
final class Leftovers {
  private static final String[][] CACHES = {
    {"android.app.Fragment", "sClassMap"},
    {"android.preference.GenericInflater", "sConstructorMap"},
    {"android.view.LayoutInflater", "sConstructorMap"},
  };

  private Leftovers() {}

  static void clear() {
    for (String[] cache : CACHES) {
      try {
        Field field = Class.forName(cache[0]).getDeclaredField(cache[1]);
        field.setAccessible(true);
        ((Map<?, ?>) field.get(null)).clear();
      } catch (ReflectiveOperationException changed) {
        throw new IllegalStateException(changed);
      }
    }
  }
}
