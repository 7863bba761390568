package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/grtgtfs-query-twice.evp. GRTGTFS (section 8.2): two queries in a row.
 * The paper calls this violation an avoidable false alarm: both tasks run the later query, and the
 * result is that of a serial run.
 */
public class GrtgtfsQueryTwice {
    static boolean mQuery;
    static boolean cursor;
    static boolean list;

    static void query() {
        mQuery = true;
        Tasks.any(GrtgtfsQueryTwice::bg);
    }

    static void bg() {
        boolean seen = false;
        seen = mQuery;
        cursor = true;
        Tasks.main(GrtgtfsQueryTwice::post);
    }

    static void post() {
        boolean seen = false;
        seen = mQuery;
        seen = cursor;
        list = true;
    }

    public static void main(Driver d) {
        d.event("a", GrtgtfsQueryTwice::query);
        d.event("b", GrtgtfsQueryTwice::query);
    }
}
