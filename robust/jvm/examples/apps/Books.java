package apps;

import android.os.AsyncTask;
import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A list of books, modelled after bookworm. In the broken version the background task of a search changes the
 * search terms that going back saves; the repaired one publishes each result as one object.
 */
public class Books {
    /** A book of the user's. */
    static class Book {
        final int id;
        private String title;
        private String author;
        private byte[] cover;
        private final List<String> tags = new ArrayList<>();

        Book(int id, String title, String author) {
            this.id = id;
            this.title = title;
            this.author = author;
        }
    }

    /** What the result page shows. */
    record Page(String term, List<String> titles, int position) {}

    private static final int BOOKS = 12;

    private final boolean repaired;
    private final Map<Integer, Book> store = new TreeMap<>();
    private final Map<String, byte[]> covers = new LinkedHashMap<>();
    private String input = "java";
    private String previousTerm = "";
    private String currentTerm = "";
    private int position;
    private int selected;
    private List<String> adapter = List.of();
    private Page page = new Page("", List.of(), 0);
    private String saved;
    private Book edited;
    private String editedTitle = "";
    private String editedAuthor = "";
    private String message = "";

    Books(boolean repaired) {
        this.repaired = repaired;
        for (int i = 0; i < BOOKS; i++) {
            store.put(i, new Book(i, (i % 2 == 0 ? "java" : "rust") + " " + i, "author " + i % 3));
        }
        edited = store.get(3);
    }

    /** The titles that a web service would find. */
    private static List<String> query(String term) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            found.add(term + ", volume " + i);
        }
        return found;
    }

    /** The search as shipped: the terms are fields, which the background task changes. */
    class SearchTask extends AsyncTask<String, Void, List<String>> {
        @Override
        protected List<String> doInBackground(String... term) {
            if (!term[0].equals(currentTerm)) {
                previousTerm = currentTerm;
                currentTerm = term[0];
            }
            return query(term[0]);
        }

        @Override
        protected void onPostExecute(List<String> found) {
            if (currentTerm.equals(previousTerm)) {
                List<String> all = new ArrayList<>(adapter);
                all.addAll(found);
                adapter = all;
            } else {
                adapter = found;
                position = 0;
            }
        }
    }

    /** The repaired search, which shares nothing until it publishes a page. */
    class PageTask extends AsyncTask<String, Void, Page> {
        @Override
        protected Page doInBackground(String... term) {
            return new Page(term[0], query(term[0]), 0);
        }

        @Override
        protected void onPostExecute(Page found) {
            page = found;
        }
    }

    void onSearch() {
        if (repaired) {
            new PageTask().execute(input);
        } else {
            position = 0;
            selected = -1;
            previousTerm = "";
            new SearchTask().execute(input);
        }
    }

    void onBack() {
        if (repaired) {
            Page shown = page;
            saved = shown.term() + "@" + shown.position() + "/" + shown.titles().size();
        } else {
            saved = currentTerm + "@" + position + "/" + adapter.size() + "/" + selected;
        }
    }

    /** Draws a cover for a book that has none. */
    class GenerateCoverTask extends AsyncTask<Book, Void, byte[]> {
        private Book book;

        @Override
        protected byte[] doInBackground(Book... books) {
            book = books[0];
            byte[] pixels = new byte[16];
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = (byte) (book.id * i);
            }
            return pixels;
        }

        @Override
        protected void onPostExecute(byte[] pixels) {
            book.cover = pixels;
            message = "cover of " + book.title;
        }
    }

    void onGenerateCover() {
        new GenerateCoverTask().execute(store.get(1));
    }

    /** Looks a cover up in the cache, and else fetches it. */
    class RetrieveCoverTask extends AsyncTask<String, Void, byte[]> {
        @Override
        protected byte[] doInBackground(String... title) {
            byte[] known = covers.get(title[0]);
            if (known == null) {
                known = title[0].getBytes(java.nio.charset.StandardCharsets.UTF_8);
                covers.put(title[0], known);
            }
            return known;
        }

        @Override
        protected void onPostExecute(byte[] pixels) {
            edited.cover = pixels;
        }
    }

    void onRetrieveCover() {
        new RetrieveCoverTask().execute("rust 3");
    }

    /** Stores what the user edited. */
    class SaveTask extends AsyncTask<String, Void, Boolean> {
        private final Book book;

        SaveTask(Book book) {
            this.book = book;
        }

        @Override
        protected Boolean doInBackground(String... fields) {
            book.title = fields[0];
            book.author = fields[1];
            book.tags.clear();
            for (String word : fields[0].split(" ")) {
                book.tags.add(word);
            }
            store.put(book.id, book);
            return !book.tags.isEmpty();
        }

        @Override
        protected void onPostExecute(Boolean isSaved) {
            message = isSaved ? "saved " + book.title : "nothing to save";
        }
    }

    void onSave() {
        editedTitle = editedTitle + edited.title + "!";
        editedAuthor = edited.author;
        new SaveTask(edited).execute(editedTitle, editedAuthor);
    }

    void onType() {
        input = input + " 17";
    }

    void onSelect() {
        selected = 2;
    }

    /** Table 1: a cover is drawn. */
    public static class GenerateCover {
        public static void main(Driver driver) {
            driver.event("generateCover", new Books(false)::onGenerateCover);
        }
    }

    /** Table 1: a cover is fetched. */
    public static class RetrieveCover {
        public static void main(Driver driver) {
            driver.event("retrieveCover", new Books(false)::onRetrieveCover);
        }
    }

    /** Table 1: edits are saved. */
    public static class SaveEdits {
        public static void main(Driver driver) {
            driver.event("save", new Books(false)::onSave);
        }
    }

    /** Table 1: a book is searched for. */
    public static class Search {
        public static void main(Driver driver) {
            driver.event("search", new Books(false)::onSearch);
        }
    }

    /** Table 2, 1: a cover is drawn while a book is selected and the input changes. */
    public static class CoverSelectType {
        public static void main(Driver driver) {
            Books books = new Books(false);
            driver.event("generateCover", books::onGenerateCover);
            driver.event("select", books::onSelect);
            driver.event("type", books::onType);
        }
    }

    /** Table 2, 2: edits are saved while the input changes. */
    public static class SaveType {
        public static void main(Driver driver) {
            Books books = new Books(false);
            driver.event("save", books::onSave);
            driver.event("type", books::onType);
        }
    }

    /** Table 2, 3: a repaired search beside two other events. */
    public static class SearchCoverType {
        public static void main(Driver driver) {
            Books books = new Books(true);
            driver.event("search", books::onSearch);
            driver.event("generateCover", books::onGenerateCover);
            driver.event("type", books::onType);
        }
    }

    /** Table 2, 4: the user goes back while the search runs. */
    public static class SearchBack {
        public static void main(Driver driver) {
            searchAndBack(driver, false);
        }
    }

    /** The same, repaired. */
    public static class SearchBackRepaired {
        public static void main(Driver driver) {
            searchAndBack(driver, true);
        }
    }

    private static void searchAndBack(Driver driver, boolean repaired) {
        Books books = new Books(repaired);
        Driver.Event search = driver.event("search", books::onSearch);
        driver.event("back", books::onBack).afterStart(search);
    }
}
