package interloper.robust.engine;

/**
 * The locations of a run, by object and key. A hash table with open addressing whose entries carry the
 * number of the run, so that a new run starts without clearing it.
 */
final class Cells {
    private int mask = (1 << 10) - 1;
    private Object[] objects = new Object[mask + 1];
    private long[] keys = new long[mask + 1];
    private int[] runs = new int[mask + 1];
    private Cell[] cells = new Cell[mask + 1];
    private int run;
    private int used;

    void clear() {
        run++;
        used = 0;
    }

    /** The location, which is created at its first access. */
    Cell get(Object object, long key) {
        Cell known = find(object, key);
        if (known != null) {
            return known;
        }
        int at = slot(object, key);
        while (runs[at] == run) {
            at = (at + 1) & mask;
        }
        Cell cell = new Cell(used, key);
        put(at, object, key, cell);
        if (++used > mask / 2) {
            grow();
        }
        return cell;
    }

    /** The location, or null if it was not accessed in this run. */
    Cell find(Object object, long key) {
        for (int at = slot(object, key); runs[at] == run; at = (at + 1) & mask) {
            if (objects[at] == object && keys[at] == key) {
                return cells[at];
            }
        }
        return null;
    }

    private int slot(Object object, long key) {
        int hash = System.identityHashCode(object) * 31 + Long.hashCode(key) * 0x9E3779B9;
        return (hash ^ (hash >>> 15)) & mask;
    }

    private void put(int at, Object object, long key, Cell cell) {
        objects[at] = object;
        keys[at] = key;
        runs[at] = run;
        cells[at] = cell;
    }

    private void grow() {
        Object[] oldObjects = objects;
        long[] oldKeys = keys;
        int[] oldRuns = runs;
        Cell[] oldCells = cells;
        int size = 2 * (mask + 1);
        mask = size - 1;
        objects = new Object[size];
        keys = new long[size];
        runs = new int[size];
        cells = new Cell[size];
        for (int i = 0; i < oldObjects.length; i++) {
            if (oldRuns[i] == run) {
                int at = slot(oldObjects[i], oldKeys[i]);
                while (runs[at] == run) {
                    at = (at + 1) & mask;
                }
                put(at, oldObjects[i], oldKeys[i], oldCells[i]);
            }
        }
    }
}
