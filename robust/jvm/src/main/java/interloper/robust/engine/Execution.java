package interloper.robust.engine;

import interloper.robust.code.Site;
import java.util.Map;

/** What the instrumented code reports to: a run of the exploration, or a replay on threads. */
abstract class Execution {
    /** Before a step that accesses the locations. */
    abstract void access(Locations all);

    /** Before an access of the location that is {@code key} of {@code object}. */
    void access(Object object, long key, Site site) {
        access(new Locations().only(object, key, site));
    }

    abstract void acquire(Object monitor, Site site);

    abstract void release(Object monitor);

    /** Once in each round of a loop. */
    abstract void step(Site site);

    abstract void post(boolean any, Runnable body);

    abstract int any(int n);

    abstract void assume(boolean condition);

    /** The running code does something of which {@code what} states what is not known. */
    abstract void unmodelled(Site site, String what);

    /** A call in the running code of which {@code what} states what was replaced. */
    abstract void remark(Site site, String what);

    /** The current task, or null outside tasks. */
    abstract Task task();

    private Thread mainThread;

    /** The thread that the running code is on, as the code sees it. */
    final Thread thread() {
        Task task = task();
        if (task != null && task.any) {
            return task.thread();
        }
        if (mainThread == null) {
            mainThread = new Thread("main");
        }
        return mainThread;
    }

    /** The values of thread-local variables on the thread of the current task. */
    abstract Map<Object, Object> locals();

    /** Around the static initialiser of a class, which is no part of any task. */
    abstract void initialiserBegins(String type);

    abstract void initialiserEnds();

    /** After an object was created. */
    void created(Object object) {}
}
