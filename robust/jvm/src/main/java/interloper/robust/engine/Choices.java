package interloper.robust.engine;

import java.util.Arrays;

/**
 * The choices of the current run as a stack, explored depth first. A run repeats the choices on the stack
 * and appends the first alternative of every further one; {@link #backtrack} then selects the next
 * alternative of the last choice that has one.
 *
 * <p>There are three kinds. Of <em>chosen data</em> every alternative is explored. A <em>stop</em> (or a
 * task that is not dispatched) is explored only if a run {@link #need needed} it. Of an <em>order</em>, the
 * next event of those that remain, only those events are explored that a run {@link #alsoFirst asked for}.
 *
 * <p>At most {@link #bound} stops are taken in one run. {@link #limited} states whether one was left out for
 * that reason.
 */
final class Choices {
    private static final byte DATA = 0;
    private static final byte STOP = 1;
    private static final byte ORDER = 2;

    private byte[] kind = new byte[256];
    private int[] chosen = new int[256];
    private int[] arity = new int[256];
    private long[] hash = new long[256];
    private int[] stopsBefore = new int[256];
    private boolean[] needed = new boolean[256];
    /** Of an order: the events that are to be explored, and those that were. */
    private long[] asked = new long[256];
    private long[] explored = new long[256];

    private int length;
    private int depth;
    private int stops;

    /** Whether every alternative is explored, which is the definition that the reductions are compared with. */
    boolean everything;
    int bound = Integer.MAX_VALUE;
    boolean limited;
    /** How many choices were made in all. */
    long made;

    void clear(int newBound) {
        length = 0;
        bound = newBound;
        limited = false;
    }

    void startRun() {
        depth = 0;
        stops = 0;
    }

    int depth() {
        return depth;
    }

    /** One of {@code n} values; all are explored. */
    int data(int n, long hashNow) {
        int at = advance(DATA, n, hashNow);
        return chosen[at];
    }

    /** Whether to stop here. */
    boolean stop(long hashNow) {
        int at = advance(STOP, 2, hashNow);
        boolean taken = chosen[at] == 1;
        if (taken) {
            stops++;
        }
        return taken;
    }

    /** One of the remaining events, the lowest at first. */
    int order(long remaining, long hashNow) {
        int before = length;
        int at = advance(ORDER, Long.bitCount(remaining), hashNow);
        if (length > before) {
            chosen[at] = Long.numberOfTrailingZeros(remaining);
            asked[at] = everything ? remaining : 1L << chosen[at];
            explored[at] = 1L << chosen[at];
        }
        return chosen[at];
    }

    private int advance(byte ofKind, int n, long hashNow) {
        int at = depth++;
        if (at < length) {
            if (kind[at] != ofKind || arity[at] != n || hash[at] != hashNow) {
                throw Signal.DIVERGED;
            }
            return at;
        }
        if (length == kind.length) {
            grow();
        }
        length++;
        made++;
        kind[at] = ofKind;
        chosen[at] = 0;
        arity[at] = n;
        hash[at] = hashNow;
        stopsBefore[at] = stops;
        needed[at] = everything;
        return at;
    }

    private void grow() {
        int size = 2 * length;
        kind = Arrays.copyOf(kind, size);
        chosen = Arrays.copyOf(chosen, size);
        arity = Arrays.copyOf(arity, size);
        hash = Arrays.copyOf(hash, size);
        stopsBefore = Arrays.copyOf(stopsBefore, size);
        needed = Arrays.copyOf(needed, size);
        asked = Arrays.copyOf(asked, size);
        explored = Arrays.copyOf(explored, size);
    }

    /** Asks for the stop at this choice; -1 is none. */
    void need(int at) {
        if (at >= 0) {
            needed[at] = true;
        }
    }

    /** Asks for {@code event} at the place of another one in the order; -1 is none. */
    void alsoFirst(int at, int event) {
        if (at >= 0) {
            asked[at] |= 1L << event;
        }
    }

    /** Selects the next run. Returns false if all were explored. */
    boolean backtrack() {
        // What the last run did not reach belongs to another run.
        length = Math.min(length, depth);
        while (length > 0) {
            int at = length - 1;
            if (selectNext(at)) {
                return true;
            }
            length--;
        }
        return false;
    }

    private boolean selectNext(int at) {
        switch (kind[at]) {
            case DATA:
                chosen[at]++;
                return chosen[at] < arity[at];
            case STOP:
                if (chosen[at] == 1 || !needed[at]) {
                    return false;
                }
                if (stopsBefore[at] >= bound) {
                    limited = true;
                    return false;
                }
                chosen[at] = 1;
                return true;
            default:
                long open = asked[at] & ~explored[at];
                if (open == 0) {
                    return false;
                }
                chosen[at] = Long.numberOfTrailingZeros(open);
                explored[at] |= 1L << chosen[at];
                return true;
        }
    }
}
