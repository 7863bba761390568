package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/news.evp. The robust news reader of Fig. 3.
 */
public class News {
    static boolean list;
    static boolean db;
    static boolean detail;

    static void search() {
        Tasks.any(News::searchTask);
        Tasks.any(News::saveTask);
    }

    static void searchTask() {
        Tasks.main(News::searchPost);
    }

    static void searchPost() {
        list = true;
    }

    static void saveTask() {
        boolean seen = false;
        seen = db;
        db = true;
    }

    static void show() {
        boolean seen = false;
        seen = list;
        Tasks.any(News::download);
    }

    static void download() {
        Tasks.main(News::downloadPost);
    }

    static void downloadPost() {
        detail = true;
    }

    public static void main(Driver d) {
        d.event("a", News::search);
        d.event("b", News::show);
    }
}
