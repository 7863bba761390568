package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/vlille-load-remove.evp. Vlille Checker (section 8.2): a favourite is
 * removed while the favourites are being loaded.
 */
public class VlilleLoadRemove {
    static boolean list;
    static boolean task;
    static boolean station;
    static boolean star;

    static void load() {
        list = true;
        task = true;
        Tasks.any(VlilleLoadRemove::bg);
    }

    static void bg() {
        boolean seen = false;
        seen = list;
        station = true;
        seen = list;
    }

    static void remove() {
        boolean seen = false;
        star = true;
        seen = list;
        list = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", VlilleLoadRemove::load);
        d.event("b", VlilleLoadRemove::remove).afterStart(a);
    }
}
