package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/apphangar-fixed.evp. AppHangar, fixed: the task that builds the
 * adapter posts the one that shows it.
 */
public class ApphangarFixed {
    static boolean mAdapter;
    static boolean listView;

    static void icon() {
        Tasks.any(ApphangarFixed::build);
    }

    static void build() {
        mAdapter = true;
        Tasks.main(ApphangarFixed::show);
    }

    static void show() {
        boolean seen = false;
        seen = mAdapter;
        listView = true;
    }

    public static void main(Driver d) {
        d.event("a", ApphangarFixed::icon);
    }
}
