package libraries;

import android.os.AsyncTask;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.collections.Bag;
import org.apache.commons.collections.MultiMap;
import org.apache.commons.collections.bag.HashBag;
import org.apache.commons.collections.map.LRUMap;
import org.apache.commons.collections.map.MultiValueMap;

/**
 * A shop that uses Gson and commons-collections, which are instrumented as the application is. In the broken
 * version the background task that orders reads the cart; the repaired one orders what the handler read.
 */
@SuppressWarnings("unchecked")
public class Shop {
    /** An article. Gson reads its fields by reflection. */
    static class Article {
        private String name;
        private int price;
        private String[] tags;
    }

    private final boolean repaired;
    private final Gson gson = new Gson();
    private final Bag cart = new HashBag();
    private final LRUMap recent = new LRUMap(3);
    private MultiMap byTag = new MultiValueMap();
    private String order = "";
    private String receipt = "";

    Shop(boolean repaired) {
        this.repaired = repaired;
        cart.add("pen", 2);
        cart.add("ink", 1);
    }

    private String json() {
        JsonObject lines = new JsonObject();
        for (Object name : cart.uniqueSet()) {
            lines.addProperty((String) name, cart.getCount(name));
        }
        return gson.toJson(lines);
    }

    /** Orders what is in the cart. */
    class OrderTask extends AsyncTask<String, Void, String> {
        @Override
        protected String doInBackground(String... given) {
            return given[0] == null ? json() : given[0];
        }

        @Override
        protected void onPostExecute(String sent) {
            order = sent;
        }
    }

    void onOrder() {
        String seen = json();
        receipt = "for " + seen.length();
        new OrderTask().execute(repaired ? seen : null);
    }

    void onAdd() {
        cart.add("paper", 5);
        recent.put("paper", cart.size());
    }

    /** Reads the articles that a server would send. */
    class LoadTask extends AsyncTask<String, Void, List<Article>> {
        @Override
        protected List<Article> doInBackground(String... text) {
            List<Article> found = new ArrayList<>();
            JsonArray all = JsonParser.parseString(text[0]).getAsJsonArray();
            for (JsonElement element : all) {
                found.add(gson.fromJson(element, Article.class));
            }
            return found;
        }

        @Override
        protected void onPostExecute(List<Article> found) {
            MultiMap sorted = new MultiValueMap();
            for (Article article : found) {
                for (String tag : article.tags) {
                    sorted.put(tag, article.name + " " + article.price);
                }
            }
            byTag = sorted;
        }
    }

    void onLoad() {
        new LoadTask().execute("[{\"name\":\"pen\",\"price\":3,\"tags\":[\"write\",\"blue\"]},"
                + "{\"name\":\"ink\",\"price\":5,\"tags\":[\"blue\"]}]");
    }

    private static void main(Driver driver, boolean repaired) {
        Shop shop = new Shop(repaired);
        driver.event("order", shop::onOrder);
        driver.event("add", shop::onAdd);
        driver.event("load", shop::onLoad);
    }

    /** Orders while something is added to the cart. */
    public static class Broken {
        public static void main(Driver driver) {
            Shop.main(driver, false);
        }
    }

    /** The same, repaired. */
    public static class Repaired {
        public static void main(Driver driver) {
            Shop.main(driver, true);
        }
    }
}
