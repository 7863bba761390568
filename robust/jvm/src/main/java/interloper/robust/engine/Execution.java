package interloper.robust.engine;

import interloper.robust.code.Site;
import java.util.Map;

/** What the instrumented code reports to: a run of the exploration, or a replay on threads. */
abstract class Execution {
    /** Before an access of the location that is {@code key} of {@code object}. */
    abstract void access(Object object, long key, Site site, boolean mayStop);

    abstract void acquire(Object monitor, Site site);

    abstract void release(Object monitor);

    /** Once in each round of a loop. */
    abstract void step(Site site);

    abstract void post(boolean any, Runnable body);

    abstract int any(int n);

    abstract void assume(boolean condition);

    /** A call in the running code of which {@code what} states what is not known, or was replaced. */
    abstract void unmodelled(Site site, String what);

    /** The current task, or null outside tasks. */
    abstract Task task();

    /** The values of thread-local variables on the thread of the current task. */
    abstract Map<Object, Object> locals();

    /** Around static initialisers, which are no part of any task. */
    abstract void initialiser(boolean enters);
}
