package apps;

import android.app.Activity;
import android.os.AsyncTask;
import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Choosing icons, modelled after apphangar. The broken version posts the task that shows the icons beside the
 * one that loads them; the repaired one posts it when they are loaded.
 */
public class IconPacks extends Activity {
    /** A pack of icons. */
    static class Pack {
        final String name;
        private final Map<String, int[]> icons = new HashMap<>();

        Pack(String name) {
            this.name = name;
        }

        int[] icon(String app) {
            return icons.computeIfAbsent(app, key -> new int[] {key.length(), name.length()});
        }
    }

    /** What a list view shows. */
    static class Adapter {
        private final List<int[]> items = new ArrayList<>();
        private int selected = -1;

        void add(int[] icon) {
            items.add(icon);
        }

        int size() {
            return items.size();
        }
    }

    private final boolean repaired;
    private final List<String> apps = List.of("mail", "music", "maps", "news", "camera", "clock", "phone");
    private Pack pack = new Pack("plain");
    private Adapter adapter;
    private int shown;
    private String details = "";

    IconPacks(boolean repaired) {
        this.repaired = repaired;
    }

    private Adapter build(Pack of) {
        Adapter built = new Adapter();
        for (String app : apps) {
            built.add(of.icon(app));
        }
        return built;
    }

    void onIconPackUpdated() {
        Pack updated = new Pack("round");
        pack = updated;
        new Thread(() -> {
            adapter = build(updated);
            if (repaired) {
                runOnUiThread(this::show);
            }
        }).start();
        if (!repaired) {
            new android.os.Handler().post(this::show);
        }
    }

    private void show() {
        shown = adapter == null ? 0 : adapter.size();
    }

    void onSelect() {
        Pack from = pack;
        new AsyncTask<String, Void, int[]>() {
            @Override
            protected int[] doInBackground(String... app) {
                return from.icon(app[0]).clone();
            }

            @Override
            protected void onPostExecute(int[] icon) {
                details = icon[0] + "x" + icon[1];
            }
        }.execute("maps");
    }

    /** Table 1: an item is selected. */
    public static class SelectItem {
        public static void main(Driver driver) {
            driver.event("select", new IconPacks(false)::onSelect);
        }
    }

    /** Table 1: the icon pack is replaced. */
    public static class UpdateIconPack {
        public static void main(Driver driver) {
            driver.event("update", new IconPacks(false)::onIconPackUpdated);
        }
    }

    /** The same, repaired. */
    public static class UpdateIconPackRepaired {
        public static void main(Driver driver) {
            driver.event("update", new IconPacks(true)::onIconPackUpdated);
        }
    }
}
