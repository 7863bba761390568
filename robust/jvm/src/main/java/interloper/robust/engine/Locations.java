package interloper.robust.engine;

import interloper.robust.code.Site;
import java.util.Arrays;

/**
 * The locations that one step accesses. An instruction accesses one, a call of the library perhaps several: a
 * task stops before all of them or before none.
 */
public final class Locations {
    /** More than a task may access. */
    private static final int MAX = 300_000;

    Object[] objects = new Object[1];
    long[] keys = new long[1];
    Site[] sites = new Site[1];
    Cell[] cells = new Cell[1];
    int count;

    void add(Object object, long key, Site site) {
        if (count == MAX) {
            return;
        }
        if (count == objects.length) {
            int size = 2 * count;
            objects = Arrays.copyOf(objects, size);
            keys = Arrays.copyOf(keys, size);
            sites = Arrays.copyOf(sites, size);
            cells = Arrays.copyOf(cells, size);
        }
        objects[count] = object;
        keys[count] = key;
        sites[count++] = site;
    }

    /** Makes this the given location alone. */
    Locations only(Object object, long key, Site site) {
        count = 0;
        add(object, key, site);
        return this;
    }
}
