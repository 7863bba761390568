package interloper.robust.engine;

import interloper.robust.code.Site;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One run of the sequential reduction (docs/robustness.md; the lemma is in the module documentation of
 * {@code reduce::delay} in crates/robust). The events run one after the other, each task after the one that
 * posted it, in depth-first order, all on one thread.
 *
 * <ul>
 *   <li>A task on a thread of its own may stop before any access.
 *   <li>A task of the main thread is completed, or not dispatched, or <em>cut</em>: it stops before an
 *       access and keeps the main thread. At most one is cut. Really it runs last, so no completed task of
 *       the main thread may depend on it; a run in which one does is infeasible.
 * </ul>
 *
 * The pivot and the root of a violation do not change what a run does, so they are computed instead of
 * guessed: each access before which a task stopped is a possible pivot, a later conflicting access is a
 * possible root ({@link Hit}). A step may access several locations, if it is a call of the library: a task stops
 * before all of them, and each is a possible pivot.
 *
 * <h2>Which stops and orders are explored</h2>
 *
 * <b>Lazy stops.</b> To stop a task before access <i>a</i> is explored only if some explored run that went
 * on meets a later access, of another task, that conflicts with <i>a</i>. Otherwise the run in which the task
 * executes <i>a</i> and stops later contains the same accesses of all others, and one more.
 *
 * <p><b>Handlers alone.</b> As long as no run has posted a task, no stop is explored because of a conflict: the
 * main thread runs handlers one after the other, and every such order is explored. With the first post, the
 * exploration begins again.
 *
 * <p><b>Descendants.</b> It is not explored for a conflicting task that exists only because this task went on
 * after <i>a</i>: with the stop, that task would not exist, and there would be no conflict.
 *
 * <p><b>Tasks that are not dispatched.</b> A posted task of the main thread is left out under the same
 * condition as a stop before each of its accesses. A handler need not be left out because of a conflict: an
 * event that comes last in the order has no effect on the others. It is left out if the run would be
 * infeasible otherwise. A task of the main thread that waits for ever, and a handler that does, is left out as
 * well: otherwise it would be the one that is cut, and no other could be.
 *
 * <p><b>Monitors.</b> Which of two tasks enters first is not a conflict. But a task that stops inside keeps the
 * others out, so a task may stop before it enters a monitor that an earlier task entered. It matters for tasks
 * of the main thread, which would else have to come to their ends. The earlier task need not stop before its
 * entry: whatever follows its entry without a conflict can be executed before the later task enters. Nor need
 * either be left out: the interleaving contains only the tasks that the violation depends on.
 *
 * <p><b>Orders.</b> The events start in the order of their declaration. If an access of event <i>i</i> conflicts
 * with one of a later event <i>j</i>, the order in which <i>j</i> comes in place of <i>i</i> is explored, as in
 * dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with whole events as steps. Orders
 * that differ by events without conflicts have the same accesses, pivots and conflicts.
 *
 * <p>A run costs its accesses; an access costs one look-up and its conflicts with other tasks.
 */
final class Run extends Execution {
    /** A stopped access and a later conflicting access of another task. */
    record Hit(Cell.Pivot pivot, Task task) {
        boolean isInversion() {
            return pivot.task().event == task.event;
        }
    }

    /** The number of tasks in a run before it is considered endless. */
    private static final int MAX_TASKS = 20_000;
    /** How many steps an access counts as: it costs more memory and time than a round of a loop. */
    private static final int ACCESS_STEPS = 10;

    final Choices choices;
    final Findings findings;
    private final Cells cells = new Cells();
    private List<Event> events = List.of();

    private Task current;
    /** The thread of the exploration. Code on another one, which the library started, is not modelled. */
    private Thread owner;
    private Task cut;
    private final Initialisers initialisers = new Initialisers();
    private int tasks;
    private boolean[][] edges;
    /** The choice of each event's place in the order, or -1. */
    private int[] orderNode;
    /** Whether some run posted a task. */
    boolean hasPosts;
    final List<Hit> hits = new ArrayList<>();
    /** The operations of the run, if they are wanted. */
    Log log;
    /** A hash of everything the run did. */
    long hash;
    Site lastSite;
    /** The number of steps that one task may take. */
    int maxSteps = 2_000_000;
    long accesses;
    /** Whether the run notes which static initialisers create which objects. */
    boolean tracksOwners;
    private final Locations single = new Locations();
    private final Map<Object, Object> mainLocals = new HashMap<>();
    long order;

    Run(Choices choices, Findings findings) {
        this.choices = choices;
        this.findings = findings;
    }

    /** Prepares a run; the driver's declarations come next. */
    void start(Log newLog) {
        choices.startRun();
        cells.clear();
        owner = Thread.currentThread();
        current = null;
        cut = null;
        initialisers.start(tracksOwners);
        tasks = 0;
        hits.clear();
        mainLocals.clear();
        hash = 0;
        order = 0;
        lastSite = null;
        accesses = 0;
        log = newLog;
    }

    /** Runs the events. Returns false if the run is infeasible. */
    boolean run(List<Event> declared) {
        events = declared;
        int n = events.size();
        edges = new boolean[n][n];
        orderNode = new int[n];
        long remaining = n == 0 ? 0 : -1L >>> (64 - n);
        try {
            while (remaining != 0) {
                int next = Long.numberOfTrailingZeros(remaining);
                int node = -1;
                if (Long.bitCount(remaining) > 1) {
                    node = choices.depth();
                    next = choices.order(remaining, hash);
                }
                orderNode[next] = node;
                order = order * 64 + next;
                mix(next, 1);
                remaining &= ~(1L << next);
                dispatch(new Task(events.get(next), null, 0, false, events.get(next).handler));
            }
            return true;
        } catch (Signal signal) {
            if (signal == Signal.INFEASIBLE) {
                return false;
            }
            throw signal;
        } finally {
            current = null;
        }
    }

    private void dispatch(Task task) {
        if (!task.any) {
            if (task.depends) {
                return; // The main thread is still busy with the cut task.
            }
            task.skipNode = choices.depth();
            if (choices.stop(hash)) {
                return;
            }
        }
        current = task;
        task.began = true;
        if (log != null) {
            log.begin(task);
        }
        try {
            task.body.run();
        } catch (Signal signal) {
            if (signal != Signal.STOP) {
                throw signal;
            }
        } catch (Throwable problem) {
            findings.crash(task, problem);
        } finally {
            current = null;
        }
        if (!task.stopped) {
            task.ended = true;
            if (log != null) {
                log.end(task);
            }
        }
        for (Task child : task.children) {
            dispatch(child);
        }
    }

    /** The hits that may be violations: inversions, and those that close a cycle of events. */
    List<Hit> violations() {
        List<Hit> found = new ArrayList<>();
        boolean[][] reach = null;
        for (Hit hit : hits) {
            if (hit.isInversion()) {
                found.add(hit);
                continue;
            }
            if (reach == null) {
                reach = closure();
            }
            if (reach[hit.pivot.task().event.id][hit.task.event.id]) {
                found.add(hit);
            }
        }
        return found;
    }

    private boolean[][] closure() {
        int n = edges.length;
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; edges[i][k] && j < n; j++) {
                    edges[i][j] |= edges[k][j];
                }
            }
        }
        return edges;
    }

    /** The current task, or null outside tasks and on a thread that is not modelled. */
    private Task acting(Site site) {
        if (Thread.currentThread() == owner) {
            return current;
        }
        findings.foreign(site);
        return null;
    }

    @Override
    void access(Object object, long key, Site site) {
        if (acting(site) != null) {
            access(single.only(object, key, site));
        }
    }

    @Override
    void access(Locations all) {
        if (all.count == 0) {
            return;
        }
        Site site = all.sites[0];
        Task task = acting(site);
        if (task == null) {
            return;
        }
        if (initialisers.isRunning()) {
            initialisers.access(all, cells, findings);
            return;
        }
        if (task.stopped) {
            throw Signal.STOP; // The library caught the signal.
        }
        step(task, site, ACCESS_STEPS * all.count);
        accesses += all.count;
        lastSite = site;
        boolean touches = false;
        for (int i = 0; i < all.count; i++) {
            all.cells[i] = cells.get(all.objects[i], all.keys[i]);
            mix(all.sites[i].id, all.cells[i].number);
            touches |= touches(all.cells[i], all.sites[i].write);
        }
        initialisers.compare(all, findings);
        if (cut != null && !task.any && task != cut && isFresh(task) && touches) {
            // The task would depend on the cut one before it did anything: it is not dispatched.
            for (int i = 0; i < all.count; i++) {
                conflicts(task, all.cells[i], all.sites[i].write);
            }
            task.began = false;
            task.stopped = true;
            if (log != null) {
                log.unbegin(task);
            }
            throw Signal.STOP;
        }
        int node = -1;
        if (mayStop(task)) {
            node = choices.depth();
            if (choices.stop(hash)) {
                stop(task, all);
                throw Signal.STOP;
            }
        }
        // What a step accesses, it accesses together.
        task.depends |= cut != null && task.any && touches;
        for (int i = 0; i < all.count; i++) {
            if (log != null) {
                log.access(task, i == 0 ? Log.Kind.ACCESS : Log.Kind.ALSO, all.sites[i], all.cells[i]);
            }
            perform(task, all.cells[i], all.sites[i], node);
        }
    }

    private boolean mayStop(Task task) {
        return task.any || cut == null;
    }

    /** Whether the task has done nothing yet that others can see. */
    private static boolean isFresh(Task task) {
        return task.children.isEmpty() && task.held == null && !task.acted;
    }

    private static boolean touches(Cell cell, boolean write) {
        return cell.touched == 2 || write && cell.touched != 0;
    }

    private void perform(Task task, Cell cell, Site site, int node) {
        task.acted = true;
        conflicts(task, cell, site.write);
        if (cell.pivots != null) {
            for (Cell.Pivot pivot : cell.pivots) {
                if (pivot.task() != task && (pivot.site().write || site.write)) {
                    hits.add(new Hit(pivot, task));
                }
            }
        }
        if (cut != null && cut != task) {
            depend(task, cell, site.write);
        }
        if (!task.any && cut == null) {
            task.cells.add(cell);
            task.writes.add(site.write);
        }
        cell.add(new Cell.Access(task, site.write, node, task.children.size()));
    }

    /** Asks for the stops and orders that the conflicts of an access with the earlier ones give rise to. */
    private void conflicts(Task task, Cell cell, boolean write) {
        if (cell.notedTask != task) {
            cell.notedTask = task;
            cell.notedReads = 0;
            cell.notedWrites = 0;
        }
        for (int i = write ? cell.notedWrites : cell.notedReads; i < cell.count; i++) {
            Cell.Access earlier = cell.accesses[i];
            if (earlier.task() == task || !(earlier.write() || write)) {
                continue;
            }
            if (hasPosts && !followsFrom(task, earlier)) {
                choices.need(earlier.node());
                if (earlier.task().parent != null) {
                    choices.need(earlier.task().skipNode);
                }
            }
            int from = earlier.task().event.id;
            int to = task.event.id;
            if (from != to) {
                edges[from][to] = true;
                choices.alsoFirst(orderNode[from], to);
            }
        }
        // What conflicts with a read conflicts with a write, too.
        cell.notedReads = cell.count;
        if (write) {
            cell.notedWrites = cell.count;
        }
    }

    /** Whether the task exists only because the other access's task went on after that access. */
    private static boolean followsFrom(Task task, Cell.Access access) {
        Task at = task;
        while (at != null && at.parent != access.task()) {
            at = at.parent;
        }
        return at != null && at.number > access.posts();
    }

    /** Keeps track of what depends on the cut task. */
    private void depend(Task task, Cell cell, boolean write) {
        if (task.any) {
            if (task.depends) {
                touch(cell, write);
            }
        } else if (touches(cell, write)) {
            choices.need(task.skipNode);
            throw Signal.INFEASIBLE;
        }
    }

    private static void touch(Cell cell, boolean write) {
        cell.touched = write ? 2 : Math.max(cell.touched, 1);
    }

    /** Stops the current task, before a step that would access the locations, if any. */
    private void stop(Task task, Locations before) {
        task.stopped = true;
        for (int i = 0; before != null && i < before.count; i++) {
            Cell cell = before.cells[i];
            cell.add(new Cell.Pivot(task, before.sites[i], cell, i));
        }
        if (!task.any) {
            if (cut != null) {
                throw Signal.INFEASIBLE;
            }
            cut = task;
            task.depends = true;
            for (int i = 0; i < task.cells.size(); i++) {
                touch(task.cells.get(i), task.writes.get(i));
            }
            for (Task child : task.children) {
                child.depends = true;
            }
        }
    }

    @Override
    void acquire(Object monitor, Site site) {
        Task task = acting(site);
        if (task == null || initialisers.isRunning()) {
            return;
        }
        int[] entries = task.held().computeIfAbsent(monitor, key -> new int[1]);
        if (entries[0] > 0) {
            entries[0]++;
            return;
        }
        Cell cell = cells.get(monitor, site.field);
        mix(site.id, cell.number);
        int node = -1;
        if (mayStop(task)) {
            node = choices.depth();
            if (choices.stop(hash)) {
                stop(task, null);
                throw Signal.STOP;
            }
        }
        entries[0] = 1;
        if (log != null) {
            log.acquire(task, cell);
        }
        for (int i = 0; i < cell.count; i++) {
            if (cell.accesses[i].task() != task) {
                choices.need(node);
            }
        }
        cell.add(new Cell.Access(task, true, node, task.children.size()));
    }

    @Override
    void release(Object monitor) {
        Task task = acting(null);
        if (task == null || initialisers.isRunning() || task.held == null) {
            return;
        }
        int[] entries = task.held.get(monitor);
        if (entries != null && entries[0] > 0 && --entries[0] == 0 && log != null) {
            log.release(task, cells.get(monitor, interloper.robust.code.Sites.MONITOR));
        }
    }

    @Override
    void step(Site site) {
        Task task = acting(site);
        if (task != null) {
            step(task, site, 1);
        }
    }

    private void step(Task task, Site site, int cost) {
        task.steps += cost;
        if (task.steps > maxSteps) {
            findings.endless(task, site);
            stop(task, null);
            throw Signal.STOP;
        }
    }

    @Override
    void post(boolean any, Runnable body) {
        Task task = acting(null);
        if (task == null) {
            throw new IllegalStateException("a task is posted outside all events");
        }
        hasPosts = true;
        if (++tasks > MAX_TASKS) {
            findings.tooManyTasks(MAX_TASKS);
            return;
        }
        mix(any ? 2 : 3, tasks);
        Task child = new Task(task.event, task, task.children.size() + 1, any, body);
        child.depends = task.depends;
        task.children.add(child);
        if (log != null) {
            log.post(task, child);
        }
    }

    @Override
    int any(int n) {
        int value = choices.data(n, hash);
        mix(4, value);
        if (log != null) {
            log.chosen(current, value);
        }
        return value;
    }

    @Override
    void assume(boolean condition) {
        Task task = condition ? null : acting(null);
        if (task != null) {
            if (!task.any) {
                choices.need(task.skipNode);
            }
            stop(task, null);
            throw Signal.STOP;
        }
    }

    @Override
    void unmodelled(Site site, String what) {
        // Outside tasks nothing runs concurrently; only what was replaced matters there.
        if (current != null && !initialisers.isRunning()) {
            findings.reason(what, site.place());
        }
    }

    @Override
    void remark(Site site, String what) {
        findings.remark(what, site.place());
    }

    @Override
    Task task() {
        return current;
    }

    @Override
    Map<Object, Object> locals() {
        return current != null && current.any ? current.locals() : mainLocals;
    }

    @Override
    void initialiserBegins(String type) {
        initialisers.begin(type);
    }

    @Override
    void initialiserEnds() {
        initialisers.end();
    }

    @Override
    void created(Object object) {
        if (tracksOwners && Thread.currentThread() == owner) {
            initialisers.created(object);
        }
    }

    private void mix(long a, long b) {
        hash = (hash ^ (a * 31 + b)) * 0x9E3779B97F4A7C15L;
        hash ^= hash >>> 32;
    }
}
