package interloper.robust.engine;

import interloper.robust.code.Site;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A location of one run: a field of an object, an element of an array, or the contents of a library object. */
final class Cell {
    /** The position among the locations of the run, in the order of their first accesses. */
    final int number;
    /** The number of the field, and in the upper half the index of an element. */
    final long key;

    /** How the cut task and its dependents accessed the location: 0 not, 1 read, 2 written. */
    int touched;
    /** The accesses that were executed. */
    Access[] accesses = new Access[2];
    int count;
    /** The accesses before which a task stopped. */
    List<Pivot> pivots;

    /** The last task whose conflicts were noted, and with how many accesses those of its reads and writes were. */
    Task notedTask;
    int notedReads;
    int notedWrites;

    Cell(int number, long key) {
        this.number = number;
        this.key = key;
    }

    void add(Access access) {
        if (count == accesses.length) {
            accesses = Arrays.copyOf(accesses, 2 * count);
        }
        accesses[count++] = access;
    }

    void add(Pivot pivot) {
        if (pivots == null) {
            pivots = new ArrayList<>();
        }
        pivots.add(pivot);
    }

    /** Whether a task accessed the location in a way that conflicts with a read, or a write. */
    boolean isShared(boolean write) {
        for (int i = 0; i < count; i++) {
            if (write || accesses[i].write) {
                return true;
            }
        }
        return false;
    }

    /** An executed access: its task, the choice to stop before it or -1, and the posts of the task until then. */
    record Access(Task task, boolean write, int node, int posts) {}

    /** An access before which a task stopped, and its place among the accesses of its step. */
    record Pivot(Task task, Site site, Cell cell, int place) {}
}
