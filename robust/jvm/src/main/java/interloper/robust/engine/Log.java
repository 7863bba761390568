package interloper.robust.engine;

import interloper.robust.code.Site;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The operations of one run, or of a replay, in the order in which they happened. */
final class Log {
    /** The kinds of operations, by the names that they have in messages. */
    enum Kind {
        BEGIN,
        POST,
        ACCESS,
        /** An access in the same step as the operation of the task before it. */
        ALSO,
        ACQUIRE,
        RELEASE,
        END
    }

    /** An operation of a task, with the posted task, or the site and the location. */
    record Op(Task task, Kind kind, Task child, Site site, int cell, long key) {}

    final List<Op> ops = new ArrayList<>();
    final List<Task> tasks = new ArrayList<>();
    private final Map<Task, Integer> numbers = new IdentityHashMap<>();
    /** The data that each task chose, by its name, in order. The driver's is under the empty name. */
    final Map<String, List<Integer>> chosen = new HashMap<>();

    void begin(Task task) {
        number(task);
        ops.add(new Op(task, Kind.BEGIN, null, null, 0, 0));
    }

    /** Takes the begin of a task back that has done nothing since. */
    void unbegin(Task task) {
        Op last = ops.remove(ops.size() - 1);
        assert last.task == task && last.kind == Kind.BEGIN;
    }

    void post(Task task, Task child) {
        number(child);
        ops.add(new Op(task, Kind.POST, child, null, 0, 0));
    }

    void access(Task task, Kind kind, Site site, Cell cell) {
        ops.add(new Op(task, kind, null, site, cell.number, cell.key));
    }

    void acquire(Task task, Cell cell) {
        ops.add(new Op(task, Kind.ACQUIRE, null, null, cell.number, cell.key));
    }

    void release(Task task, Cell cell) {
        ops.add(new Op(task, Kind.RELEASE, null, null, cell.number, cell.key));
    }

    void end(Task task) {
        ops.add(new Op(task, Kind.END, null, null, 0, 0));
    }

    void chosen(Task task, int value) {
        chosen.computeIfAbsent(task == null ? "" : task.name(), key -> new ArrayList<>()).add(value);
    }

    /** The number of a task in messages. */
    int number(Task task) {
        return numbers.computeIfAbsent(task, key -> {
            tasks.add(task);
            return tasks.size() - 1;
        });
    }

    /** The operations of each task, by its path. */
    Map<String, List<Op>> byTask() {
        Map<String, List<Op>> found = new HashMap<>();
        for (Op op : ops) {
            found.computeIfAbsent(op.task.name(), key -> new ArrayList<>()).add(op);
        }
        return found;
    }
}
