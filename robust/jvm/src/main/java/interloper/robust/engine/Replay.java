package interloper.robust.engine;

import interloper.robust.code.Site;
import interloper.robust.code.Sites;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Executes an interleaving on threads, one for each task. Before each operation a thread waits for its turn.
 * What each task does must be what it did in the run that the interleaving was made from; a task that has no
 * further turn stops.
 */
final class Replay extends Execution {
    private static final long LIMIT_MILLIS = 20_000;

    private final List<String> schedule;
    private final Map<String, List<Log.Op>> expected;
    private final Cell.Pivot pivot;
    /** The data that each task is still to choose. */
    private final Map<String, Deque<Integer>> data = new HashMap<>();

    private final Object lock = new Object();
    private int position;
    private Thread turn;
    private final Map<String, Integer> done = new HashMap<>();
    private final Map<String, Integer> turns = new HashMap<>();
    private String failure;
    private boolean finished;
    private final Map<Object, Task> holders = new IdentityHashMap<>();
    private final Cells cells = new Cells();
    private final Map<Object, Object> mainLocals = new HashMap<>();
    private final ThreadLocal<Task> current = new ThreadLocal<>();
    private final ThreadLocal<Integer> initialisers = ThreadLocal.withInitial(() -> 0);
    private final List<Thread> threads = new ArrayList<>();
    /** What was executed. */
    final Log log = new Log();

    /** A replay of the tasks' operations in the order of {@code schedule}, the last of which is the pivot. */
    Replay(Log run, List<String> schedule, Cell.Pivot pivot) {
        this.schedule = schedule;
        this.expected = run.byTask();
        this.pivot = pivot;
        run.chosen.forEach((task, values) -> data.put(task, new ArrayDeque<>(values)));
        for (String task : schedule) {
            turns.merge(task, 1, Integer::sum);
        }
        cells.clear();
    }

    /** Executes the schedule. Returns null, or what went wrong. */
    String execute(Program program) throws Program.BadDriver {
        List<Event> events = program.declare(this);
        for (Event event : events) {
            spawn(new Task(event, null, 0, false, event.handler));
        }
        long end = System.currentTimeMillis() + LIMIT_MILLIS;
        synchronized (lock) {
            while (!finished && failure == null) {
                await(end);
            }
            lock.notifyAll();
        }
        for (Thread thread : List.copyOf(threads)) {
            try {
                thread.join(Math.max(1, end + LIMIT_MILLIS - System.currentTimeMillis()));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            if (thread.isAlive() && failure == null) {
                failure = "a thread did not stop";
            }
        }
        return failure;
    }

    private void await(long end) {
        try {
            lock.wait(100);
        } catch (InterruptedException interrupted) {
            fail("interrupted");
        }
        if (System.currentTimeMillis() > end) {
            String next = position < schedule.size() ? schedule.get(position) : "none";
            fail("step " + position + ", of task " + next + ", was not reached");
        }
    }

    private void fail(String why) {
        if (failure == null) {
            failure = why;
        }
        lock.notifyAll();
    }

    private void spawn(Task task) {
        if (!turns.containsKey(task.name())) {
            return;
        }
        Thread thread = new Thread(null, () -> live(task), "replay " + task.name(), 16 << 20);
        thread.setDaemon(true);
        synchronized (lock) {
            threads.add(thread);
        }
        thread.start();
    }

    private void live(Task task) {
        current.set(task);
        try {
            turn(task, Log.Kind.BEGIN, null, null);
            synchronized (lock) {
                log.begin(task);
            }
            try {
                task.body.run();
            } catch (Signal signal) {
                throw signal;
            } catch (Throwable crash) {
                // As in the run, it ends the task.
            }
            turn(task, Log.Kind.END, null, null);
            synchronized (lock) {
                log.end(task);
            }
        } catch (Signal signal) {
            // The task has no further turn.
        } finally {
            synchronized (lock) {
                giveUpTurn();
            }
        }
    }

    private void giveUpTurn() {
        if (turn == Thread.currentThread()) {
            turn = null;
            lock.notifyAll();
        }
    }

    /** Waits until it is the task's turn, which it then keeps until its next operation. */
    private void turn(Task task, Log.Kind kind, Site site, Task child) {
        String name = task.name();
        synchronized (lock) {
            giveUpTurn();
            long end = System.currentTimeMillis() + LIMIT_MILLIS;
            while (failure == null && !finished && hasTurns(name) && !(turn == null && schedule.get(position).equals(name))) {
                await(end);
            }
            if (failure != null || finished || !hasTurns(name)) {
                throw Signal.STOP;
            }
            int number = done.merge(name, 1, Integer::sum) - 1;
            if (!isExpected(name, number, kind, site, child)) {
                fail("task " + name + " did something else than in the run"
                        + (site == null ? "" : " at " + site.place()));
                throw Signal.STOP;
            }
            position++;
            turn = Thread.currentThread();
            finished = position == schedule.size();
            if (finished) {
                lock.notifyAll();
            }
        }
    }

    private boolean hasTurns(String name) {
        return done.getOrDefault(name, 0) < turns.getOrDefault(name, 0);
    }

    private boolean isExpected(String name, int number, Log.Kind kind, Site site, Task child) {
        List<Log.Op> ops = expected.getOrDefault(name, List.of());
        if (number >= ops.size()) {
            return kind == Log.Kind.ACCESS && site == pivot.site() && position == schedule.size() - 1;
        }
        Log.Op op = ops.get(number);
        return op.kind() == kind && op.site() == site
                && (kind != Log.Kind.POST || op.child().name().equals(child.name()));
    }

    /** The current task, unless a static initialiser runs. */
    private Task acting() {
        return initialisers.get() > 0 ? null : current.get();
    }

    @Override
    void access(Locations all) {
        Task task = acting();
        if (task == null) {
            return;
        }
        if (isAtPivot(task)) {
            access(task, Log.Kind.ACCESS, all, Math.min(pivot.place(), all.count - 1));
            return;
        }
        for (int i = 0; i < all.count; i++) {
            access(task, i == 0 ? Log.Kind.ACCESS : Log.Kind.ALSO, all, i);
        }
    }

    /** Whether the task has done all that it did in the run. Of the step before which it stopped, only the pivot follows. */
    private boolean isAtPivot(Task task) {
        synchronized (lock) {
            String name = task.name();
            return done.getOrDefault(name, 0) >= expected.getOrDefault(name, List.of()).size();
        }
    }

    private void access(Task task, Log.Kind kind, Locations all, int place) {
        Site site = all.sites[place];
        turn(task, kind, site, null);
        synchronized (lock) {
            log.access(task, kind, site, cells.get(all.objects[place], all.keys[place]));
        }
    }

    @Override
    void acquire(Object monitor, Site site) {
        Task task = acting();
        if (task == null) {
            return;
        }
        int[] entries = task.held().computeIfAbsent(monitor, key -> new int[1]);
        if (entries[0]++ > 0) {
            return;
        }
        turn(task, Log.Kind.ACQUIRE, null, null);
        synchronized (lock) {
            Task other = holders.putIfAbsent(monitor, task);
            if (other != null) {
                fail("task " + other.name() + " holds the monitor that " + task.name() + " enters at " + site.place());
            }
            log.acquire(task, cells.get(monitor, Sites.MONITOR));
        }
    }

    @Override
    void release(Object monitor) {
        Task task = acting();
        int[] entries = task == null || task.held == null ? null : task.held.get(monitor);
        if (entries == null || entries[0] == 0 || --entries[0] > 0) {
            return;
        }
        turn(task, Log.Kind.RELEASE, null, null);
        synchronized (lock) {
            holders.remove(monitor, task);
            log.release(task, cells.get(monitor, Sites.MONITOR));
        }
    }

    @Override
    void post(boolean any, Runnable body) {
        Task task = acting();
        if (task == null) {
            throw new IllegalStateException("a task is posted outside all events");
        }
        Task child = new Task(task.event, task, task.children.size() + 1, any, body);
        turn(task, Log.Kind.POST, null, child);
        synchronized (lock) {
            log.post(task, child);
        }
        task.children.add(child);
        spawn(child);
    }

    @Override
    void step(Site site) {
        Task task = acting();
        if (task == null) {
            return;
        }
        synchronized (lock) {
            if (failure != null || finished || !hasTurns(task.name())) {
                throw Signal.STOP;
            }
        }
    }

    @Override
    int any(int n) {
        Task task = current.get();
        synchronized (lock) {
            Deque<Integer> values = data.get(task == null ? "" : task.name());
            return values == null || values.isEmpty() ? 0 : values.remove();
        }
    }

    @Override
    void assume(boolean condition) {
        if (!condition && acting() != null) {
            throw Signal.STOP;
        }
    }

    @Override
    void unmodelled(Site site, String what) {}

    @Override
    void remark(Site site, String what) {}

    @Override
    Task task() {
        return current.get();
    }

    @Override
    Map<Object, Object> locals() {
        Task task = current.get();
        return task != null && task.any ? task.locals() : mainLocals;
    }

    @Override
    void initialiserBegins(String type) {
        initialisers.set(initialisers.get() + 1);
    }

    @Override
    void initialiserEnds() {
        initialisers.set(initialisers.get() - 1);
    }
}
