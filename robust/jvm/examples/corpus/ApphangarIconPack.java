package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/apphangar-icon-pack.evp. AppHangar (Fig. 2): the view is shown by a
 * task posted after a delay, not after the adapter is built.
 */
public class ApphangarIconPack {
    static boolean mAdapter;
    static boolean listView;

    static void icon() {
        Tasks.any(ApphangarIconPack::build);
        Tasks.main(ApphangarIconPack::show);
    }

    static void build() {
        mAdapter = true;
    }

    static void show() {
        boolean seen = false;
        seen = mAdapter;
        listView = true;
    }

    public static void main(Driver d) {
        d.event("a", ApphangarIconPack::icon);
    }
}
