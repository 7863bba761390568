package apps;

import android.os.AsyncTask;
import android.os.Handler;
import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An offline dictionary, modelled after aarddict. The activity connects to a service that holds the volumes. The
 * broken version looks words up whether or not the service is connected; the repaired one ignores the button
 * until then, and gives the background task what the handler saw.
 */
public class Dictionary {
    /** One dictionary file. */
    static class Volume {
        final String title;
        private final Map<String, String> articles = new HashMap<>();

        Volume(String title, int words) {
            this.title = title;
            for (int i = 0; i < words; i++) {
                articles.put("word" + i, title + ": the meaning of word" + i);
            }
        }

        String find(String word) {
            return articles.get(word);
        }
    }

    /** Holds the volumes. A new list replaces the old one when volumes are added. */
    static class Service {
        private List<Volume> volumes = new ArrayList<>();

        List<Volume> volumes() {
            return volumes;
        }

        void add(List<Volume> more) {
            List<Volume> all = new ArrayList<>(volumes);
            for (Volume volume : more) {
                if (all.stream().noneMatch(known -> known.title.equals(volume.title))) {
                    all.add(volume);
                }
            }
            volumes = all;
        }
    }

    /** A found word, with the volume that it is from. */
    record Article(String word, String volume, String text) {}

    private final boolean repaired;
    private final Handler handler = new Handler();
    private String editText = "";
    private String title = "";
    private boolean isReady;
    private Service dictionaryService;
    private List<Article> words = new ArrayList<>();
    private String status = "";
    private boolean isScanning;
    private int progress;

    Dictionary(boolean repaired) {
        this.repaired = repaired;
    }

    void onCreate() {
        title = "Dictionary";
        editText = "word1";
        status = "loading";
        handler.post(() -> onServiceConnected(new Service()));
    }

    private void onServiceConnected(Service service) {
        List<Volume> volumes = new ArrayList<>();
        for (String name : new String[] {"simple", "wiktionary", "wikiquote"}) {
            volumes.add(new Volume(name, 20));
        }
        service.add(volumes);
        dictionaryService = service;
        isReady = true;
    }

    /** Looks a word up in the background, and shows what was found. */
    class LookupTask extends AsyncTask<String, Void, List<Article>> {
        private final List<Volume> given;

        LookupTask(List<Volume> given) {
            this.given = given;
        }

        @Override
        protected List<Article> doInBackground(String... word) {
            List<Volume> volumes = given;
            if (volumes == null) {
                volumes = dictionaryService == null ? List.of() : dictionaryService.volumes();
            }
            List<Article> found = new ArrayList<>();
            for (Volume volume : volumes) {
                String text = volume.find(word[0]);
                if (text != null) {
                    found.add(new Article(word[0], volume.title, text));
                }
            }
            return found;
        }

        @Override
        protected void onPostExecute(List<Article> found) {
            words = found;
        }
    }

    void onLookup() {
        if (!repaired) {
            new LookupTask(null).execute(editText);
        } else if (isReady) {
            new LookupTask(dictionaryService.volumes()).execute(editText);
        }
    }

    /** Looks for dictionary files, and adds their volumes. */
    class ScanTask extends AsyncTask<String, Integer, List<Volume>> {
        @Override
        protected List<Volume> doInBackground(String... folders) {
            List<Volume> found = new ArrayList<>();
            for (String folder : folders) {
                for (int i = 0; i < 3; i++) {
                    found.add(new Volume(folder + "/" + i, 5));
                }
            }
            publishProgress(found.size());
            return found;
        }

        @Override
        protected void onProgressUpdate(Integer... values) {
            progress = values[0];
        }

        @Override
        protected void onPostExecute(List<Volume> found) {
            isScanning = false;
            if (dictionaryService != null) {
                dictionaryService.add(found);
            }
        }
    }

    void onScan() {
        if (!isScanning) {
            isScanning = true;
            new ScanTask().execute("/sdcard", "/download");
        }
    }

    /** A dictionary whose activity is open. */
    private static Dictionary opened(boolean repaired) {
        Dictionary dictionary = new Dictionary(repaired);
        dictionary.editText = "word3";
        dictionary.onServiceConnected(new Service());
        return dictionary;
    }

    /** Table 1: the activity is created. */
    public static class Create {
        public static void main(Driver driver) {
            driver.event("create", new Dictionary(false)::onCreate);
        }
    }

    /** Table 1: a word is looked up. */
    public static class Lookup {
        public static void main(Driver driver) {
            driver.event("lookup", opened(false)::onLookup);
        }
    }

    /** Table 1: folders are scanned. */
    public static class Scan {
        public static void main(Driver driver) {
            driver.event("scan", opened(false)::onScan);
        }
    }

    private static void createAndLookup(Driver driver, boolean repaired) {
        Dictionary dictionary = new Dictionary(repaired);
        Driver.Event create = driver.event("create", dictionary::onCreate);
        driver.event("lookup", dictionary::onLookup).afterStart(create);
    }

    /** Table 2, 2: a word is looked up while the activity is created. */
    public static class CreateLookup {
        public static void main(Driver driver) {
            createAndLookup(driver, false);
        }
    }

    /** The same, repaired. */
    public static class CreateLookupRepaired {
        public static void main(Driver driver) {
            createAndLookup(driver, true);
        }
    }

    private static void createLookupAndScan(Driver driver, boolean repaired) {
        Dictionary dictionary = new Dictionary(repaired);
        Driver.Event create = driver.event("create", dictionary::onCreate);
        driver.event("lookup", dictionary::onLookup).afterStart(create);
        driver.event("scan", dictionary::onScan).afterEnd(create);
    }

    /** Table 2, 1: and folders are scanned. */
    public static class CreateLookupScan {
        public static void main(Driver driver) {
            createLookupAndScan(driver, false);
        }
    }

    /** The same, repaired. */
    public static class CreateLookupScanRepaired {
        public static void main(Driver driver) {
            createLookupAndScan(driver, true);
        }
    }
}
