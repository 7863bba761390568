package apps;

import android.os.AsyncTask;
import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Bus stops and timetables, modelled after grtgtfs. In the broken version a query is kept in a field until the
 * background task reads it; the repaired one passes it on.
 */
public class Routes {
    /** A stop, with the routes that serve it. */
    static class Stop {
        final int number;
        final String name;
        final List<String> routes = new ArrayList<>();

        Stop(int number, String name) {
            this.number = number;
            this.name = name;
        }
    }

    /** A bus that is due. */
    record Due(String route, int minutes) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return Integer.compare(minutes, other.minutes);
        }
    }

    /** The tables of the transport company, which nothing changes. */
    static class Tables {
        final List<Stop> stops = new ArrayList<>();

        Tables(int count) {
            for (int i = 0; i < count; i++) {
                Stop stop = new Stop(1000 + i, "King St / " + i + " Ave");
                for (int route = 0; route < 3; route++) {
                    stop.routes.add("route " + (i + route) % 7);
                }
                stops.add(stop);
            }
        }

        List<String> stopsLike(String query) {
            List<String> found = new ArrayList<>();
            for (Stop stop : stops) {
                if (stop.name.contains(query)) {
                    found.add(stop.number + " " + stop.name);
                }
            }
            return found;
        }

        List<String> stopsOf(String route) {
            List<String> found = new ArrayList<>();
            for (Stop stop : stops) {
                if (stop.routes.contains(route)) {
                    found.add(stop.name);
                }
            }
            return found;
        }
    }

    private final boolean repaired;
    private final Tables tables = new Tables(30);
    private final Set<Integer> favourites = new HashSet<>(List.of(1001, 1004, 1009));
    private String query = "";
    private List<String> cursor = List.of();
    private List<String> list = List.of();
    private List<String> favouriteNames = List.of();
    private List<Due> due = List.of();
    private String route = "";
    private int progress;
    private String header = "";
    private boolean isNight;

    Routes(boolean repaired) {
        this.repaired = repaired;
    }

    /** The search for stops as shipped. */
    class QueryTask extends AsyncTask<Void, Void, Void> {
        @Override
        protected Void doInBackground(Void... none) {
            cursor = tables.stopsLike(query);
            return null;
        }

        @Override
        protected void onPostExecute(Void none) {
            list = new ArrayList<>(cursor);
            header = query;
        }
    }

    /** The repaired search, which is given its query. */
    class StopsTask extends AsyncTask<String, Void, List<String>> {
        @Override
        protected List<String> doInBackground(String... text) {
            return tables.stopsLike(text[0]);
        }

        @Override
        protected void onPostExecute(List<String> found) {
            list = found;
        }
    }

    void onSearchStop(String text) {
        if (repaired) {
            new StopsTask().execute(text);
        } else {
            query = text;
            new QueryTask().execute();
        }
    }

    /** Finds the stops of a route. */
    class RouteTask extends AsyncTask<String, Integer, List<String>> {
        @Override
        protected List<String> doInBackground(String... name) {
            List<String> found = tables.stopsOf(name[0]);
            publishProgress(found.size());
            return found;
        }

        @Override
        protected void onProgressUpdate(Integer... values) {
            progress = values[0];
        }

        @Override
        protected void onPostExecute(List<String> found) {
            route = String.join(", ", found);
        }
    }

    void onSearchRoute() {
        new RouteTask().execute("route 3");
    }

    /** Names the favourite stops. */
    class FavouritesTask extends AsyncTask<Integer, Void, List<String>> {
        @Override
        protected List<String> doInBackground(Integer... numbers) {
            List<String> found = new ArrayList<>();
            for (Stop stop : tables.stops) {
                for (int number : numbers) {
                    if (stop.number == number) {
                        found.add(stop.name);
                    }
                }
            }
            Collections.sort(found);
            return found;
        }

        @Override
        protected void onPostExecute(List<String> found) {
            favouriteNames = found;
        }
    }

    void onFavourites() {
        new FavouritesTask().execute(favourites.toArray(new Integer[0]));
    }

    void onAddFavourite() {
        favourites.add(1020);
    }

    /** Computes when the next buses come. */
    class TimesTask extends AsyncTask<Integer, Void, List<Due>> {
        @Override
        protected List<Due> doInBackground(Integer... numbers) {
            List<Due> found = new ArrayList<>();
            for (Stop stop : tables.stops) {
                for (String name : stop.number == numbers[0] ? stop.routes : List.<String>of()) {
                    for (int k = 1; k < 4; k++) {
                        found.add(new Due(name, name.hashCode() % 13 + 10 * k));
                    }
                }
            }
            found.sort(null);
            return found;
        }

        @Override
        protected void onPostExecute(List<Due> found) {
            due = found;
        }
    }

    void onTimes() {
        new TimesTask().execute(1002);
    }

    void onNight() {
        isNight = !isNight;
    }

    /** Table 1: the favourite stops. */
    public static class FavouriteStops {
        public static void main(Driver driver) {
            driver.event("favourites", new Routes(false)::onFavourites);
        }
    }

    /** Table 1: the times of the next buses. */
    public static class ProcessTimes {
        public static void main(Driver driver) {
            driver.event("times", new Routes(false)::onTimes);
        }
    }

    /** Table 1: the stops of a route. */
    public static class SearchRoute {
        public static void main(Driver driver) {
            driver.event("route", new Routes(false)::onSearchRoute);
        }
    }

    /** Table 1: a stop by its name. */
    public static class SearchStop {
        public static void main(Driver driver) {
            Routes routes = new Routes(false);
            driver.event("stop", () -> routes.onSearchStop("1 Ave"));
        }
    }

    /** Table 2, 1: favourites are shown while one is added and times are computed. */
    public static class FavouritesAddTimes {
        public static void main(Driver driver) {
            Routes routes = new Routes(false);
            driver.event("favourites", routes::onFavourites);
            driver.event("add", routes::onAddFavourite);
            driver.event("times", routes::onTimes);
        }
    }

    /** Table 2, 2: five events at once, which the paper's tool did not decide in an hour. */
    public static class Five {
        public static void main(Driver driver) {
            Routes routes = new Routes(true);
            driver.event("favourites", routes::onFavourites);
            driver.event("add", routes::onAddFavourite);
            driver.event("times", routes::onTimes);
            driver.event("stop", () -> routes.onSearchStop("2 Ave"));
            driver.event("route", routes::onSearchRoute);
        }
    }

    /** Table 2, 3: a route is searched for while the colours change. */
    public static class RouteNight {
        public static void main(Driver driver) {
            Routes routes = new Routes(false);
            driver.event("route", routes::onSearchRoute);
            driver.event("night", routes::onNight);
        }
    }

    private static void twice(Driver driver, boolean repaired) {
        Routes routes = new Routes(repaired);
        driver.event("first", () -> routes.onSearchStop("1 Ave"));
        driver.event("second", () -> routes.onSearchStop("2 Ave"));
    }

    /** Table 2, 4: two searches, one after the other. */
    public static class SearchTwice {
        public static void main(Driver driver) {
            twice(driver, false);
        }
    }

    /** The same, repaired. */
    public static class SearchTwiceRepaired {
        public static void main(Driver driver) {
            twice(driver, true);
        }
    }
}
