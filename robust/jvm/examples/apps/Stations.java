package apps;

import android.os.AsyncTask;
import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Stations of rented bicycles, modelled after vlille. In the broken version a background task loads the details
 * of the favourite stations while the user may remove one; the repaired one loads copies and publishes them.
 */
public class Stations {
    /** A station. Its details are loaded later. */
    static class Station {
        final int id;
        final String name;
        private int bikes = -1;
        private int places = -1;
        private boolean isStarred;

        Station(int id, String name) {
            this.id = id;
            this.name = name;
        }
    }

    private final boolean repaired;
    private final List<Station> all = new ArrayList<>();
    private List<Station> favourites = new ArrayList<>();
    private List<Station> shown = List.of();
    private LoadTask task;
    private boolean isCancelled;
    private String text = "";
    private int updates;

    Stations(boolean repaired, int count) {
        this.repaired = repaired;
        for (int i = 0; i < count; i++) {
            Station station = new Station(i, "station " + i);
            station.isStarred = i % 3 == 0;
            all.add(station);
            if (station.isStarred) {
                favourites.add(station);
            }
        }
    }

    /** Loads what a station's server would state. */
    private static void load(Station station) {
        station.bikes = station.id * 7 % 11;
        station.places = 20 - station.bikes;
    }

    private static List<Station> copies(List<Station> stations) {
        List<Station> copies = new ArrayList<>();
        for (Station station : stations) {
            copies.add(new Station(station.id, station.name));
        }
        return copies;
    }

    /** Loads the details of stations, as shipped: the list is the one that the page shows. */
    class LoadTask extends AsyncTask<List<Station>, Void, List<Station>> {
        @Override
        @SafeVarargs
        protected final List<Station> doInBackground(List<Station>... stations) {
            List<Station> loaded = stations[0] == null ? favourites : stations[0];
            for (int i = 0; i < loaded.size() && (repaired || !isCancelled); i++) {
                load(loaded.get(i));
            }
            return loaded;
        }

        @Override
        protected void onPostExecute(List<Station> loaded) {
            if (repaired || !isCancelled) {
                shown = loaded;
            }
        }
    }

    void onLoadFavourites() {
        if (repaired) {
            new LoadTask().execute(copies(favourites));
        } else {
            List<Station> starred = new ArrayList<>();
            for (Station station : all) {
                if (station.isStarred) {
                    starred.add(station);
                }
            }
            favourites = starred;
            task = new LoadTask();
            task.execute((List<Station>) null);
        }
    }

    void onLoadAll() {
        new LoadTask().execute(copies(all));
    }

    /** Loads all stations again. */
    void onUpdate() {
        List<Station> copies = copies(all);
        int number = ++updates;
        new AsyncTask<Void, Void, Integer>() {
            @Override
            protected Integer doInBackground(Void... none) {
                int bikes = 0;
                for (Station station : copies) {
                    load(station);
                    bikes += station.bikes;
                }
                return bikes;
            }

            @Override
            protected void onPostExecute(Integer bikes) {
                text = "update " + number + ": " + bikes + " bicycles";
            }
        }.execute();
    }

    void onRemove() {
        if (repaired) {
            List<Station> fewer = new ArrayList<>(favourites);
            fewer.removeIf(station -> station.id == 3);
            favourites = fewer;
        } else {
            for (Iterator<Station> each = favourites.iterator(); each.hasNext();) {
                Station station = each.next();
                if (station.id == 3) {
                    station.isStarred = false;
                    each.remove();
                }
            }
        }
    }

    void onBack() {
        isCancelled = true;
        text = "";
        if (task != null) {
            task.cancel(true);
        }
    }

    void onBackRepaired() {
        text = "";
    }

    /** Table 1: all stations are loaded. */
    public static class LoadStations {
        public static void main(Driver driver) {
            driver.event("load", new Stations(true, 40)::onLoadAll);
        }
    }

    /** Table 1: the favourite stations are loaded. */
    public static class LoadFavourites {
        public static void main(Driver driver) {
            driver.event("load", new Stations(false, 12)::onLoadFavourites);
        }
    }

    /** Table 1: stations are loaded again. */
    public static class UpdateStations {
        public static void main(Driver driver) {
            driver.event("update", new Stations(true, 40)::onUpdate);
        }
    }

    private static void loadAndRemove(Driver driver, boolean repaired) {
        Stations stations = new Stations(repaired, 24);
        driver.event("load", stations::onLoadFavourites);
        driver.event("remove", stations::onRemove);
    }

    /** Table 2, 1: a favourite is removed while they are loaded. */
    public static class LoadRemove {
        public static void main(Driver driver) {
            loadAndRemove(driver, false);
        }
    }

    /** The same, repaired. */
    public static class LoadRemoveRepaired {
        public static void main(Driver driver) {
            loadAndRemove(driver, true);
        }
    }

    /** Table 2, 2: the user goes back while favourites are loaded, which cancels the task: no bug. */
    public static class LoadBack {
        public static void main(Driver driver) {
            Stations stations = new Stations(false, 24);
            Driver.Event load = driver.event("load", stations::onLoadFavourites);
            driver.event("back", stations::onBack).afterStart(load);
        }
    }

    /** The same without cancelling. */
    public static class LoadBackRepaired {
        public static void main(Driver driver) {
            Stations stations = new Stations(true, 24);
            Driver.Event load = driver.event("load", stations::onLoadFavourites);
            driver.event("back", stations::onBackRepaired).afterStart(load);
        }
    }
}
