package corpus;

import interloper.robust.Driver;
import interloper.robust.Tasks;

/**
 * The twin of corpus/robustness/aarddict-create-lookup.evp. Aarddict (section 8.2): a word is looked
 * up before the dictionary service is connected.
 */
public class AarddictCreateLookup {
    static boolean editText;
    static boolean dictionaryService;
    static boolean words;

    static void create() {
        editText = true;
        Tasks.main(AarddictCreateLookup::conn);
    }

    static void conn() {
        dictionaryService = true;
    }

    static void lookup() {
        boolean seen = false;
        seen = editText;
        Tasks.any(AarddictCreateLookup::find);
    }

    static void find() {
        boolean seen = false;
        seen = dictionaryService;
        Tasks.main(AarddictCreateLookup::show);
    }

    static void show() {
        words = true;
    }

    public static void main(Driver d) {
        Driver.Event a = d.event("a", AarddictCreateLookup::create);
        d.event("b", AarddictCreateLookup::lookup).afterStart(a);
    }
}
