package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/bookworm-search-back.evp. BookWorm (section 8.2): going back while the
 * search runs saves a stale search term.
 */
public class BookwormSearchBack {
    static boolean input;
    static boolean pos;
    static boolean sel;
    static boolean prev;
    static boolean currSearchTerm;
    static boolean adapter;
    static boolean bean;

    static void search() {
        boolean seen = false;
        seen = input;
        pos = true;
        sel = true;
        prev = true;
        Tasks.any(BookwormSearchBack::bg);
    }

    static void bg() {
        boolean seen = false;
        seen = currSearchTerm;
        prev = true;
        currSearchTerm = true;
        Tasks.main(BookwormSearchBack::post);
    }

    static void post() {
        boolean seen = false;
        seen = prev;
        seen = currSearchTerm;
        adapter = true;
        pos = true;
    }

    static void back() {
        boolean seen = false;
        seen = pos;
        seen = currSearchTerm;
        seen = sel;
        seen = adapter;
        bean = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", BookwormSearchBack::search);
        d.event("b", BookwormSearchBack::back).afterStart(a);
    }
}
