package paper;

import android.os.AsyncTask;
import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.List;

/** The news reader of Fig. 3, which is robust; two searches at once are not. */
public class News {
    private final List<String> history = new ArrayList<>();
    private List<String> titles;
    private String detail;

    class SearchTask extends AsyncTask<String, Void, List<String>> {
        @Override
        protected List<String> doInBackground(String... words) {
            List<String> found = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                found.add(words[0] + " " + i);
            }
            return found;
        }

        @Override
        protected void onPostExecute(List<String> found) {
            titles = found;
        }
    }

    class SaveTask extends AsyncTask<String, Void, Void> {
        @Override
        protected Void doInBackground(String... words) {
            if (!history.contains(words[0])) {
                history.add(words[0]);
            }
            return null;
        }
    }

    class DownloadTask extends AsyncTask<String, Void, String> {
        @Override
        protected String doInBackground(String... title) {
            return "the text of " + title[0];
        }

        @Override
        protected void onPostExecute(String text) {
            detail = text;
        }
    }

    void onSearch() {
        new SearchTask().execute("robustness");
        new SaveTask().execute("robustness");
    }

    void onShow() {
        List<String> shown = titles;
        if (shown != null) {
            new DownloadTask().execute(shown.get(1));
        }
    }

    public static class SearchAndShow {
        public static void main(Driver driver) {
            News news = new News();
            driver.event("search", news::onSearch);
            driver.event("show", news::onShow);
        }
    }

    public static class SearchTwice {
        public static void main(Driver driver) {
            News news = new News();
            driver.event("search", news::onSearch);
            driver.event("again", news::onSearch);
        }
    }
}
