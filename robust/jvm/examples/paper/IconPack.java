package paper;

import android.os.Handler;
import interloper.robust.Driver;

/** AppHangar, Fig. 2: a view is shown after a delay, not after what it shows was built. */
public class IconPack {
    static class Adapter {
        final int icons = 3;
    }

    private final Handler handler = new Handler();
    private final boolean repaired;
    private Adapter adapter;
    private int shown;

    IconPack(boolean repaired) {
        this.repaired = repaired;
    }

    void onUpdated() {
        new Thread(() -> {
            adapter = new Adapter();
            if (repaired) {
                handler.post(this::show);
            }
        }).start();
        if (!repaired) {
            handler.postDelayed(this::show, 1000);
        }
    }

    private void show() {
        shown = adapter.icons;
    }

    public static class Broken {
        public static void main(Driver driver) {
            driver.event("iconPackUpdated", new IconPack(false)::onUpdated);
        }
    }

    public static class Repaired {
        public static void main(Driver driver) {
            driver.event("iconPackUpdated", new IconPack(true)::onUpdated);
        }
    }
}
