package interloper.robust.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** A task of one run: the handler of an event, or a posted task. */
final class Task {
    final Event event;
    final Task parent;
    /** The number of the post among those of the parent, from 1. */
    final int number;
    /** Whether the task has a thread of its own. */
    final boolean any;
    final Runnable body;

    final List<Task> children = new ArrayList<>();
    /** The monitors that the task holds, with the number of entries. */
    Map<Object, int[]> held;
    private Map<Object, Object> locals;

    boolean began;
    boolean ended;
    /** Whether the task stopped before its end. */
    boolean stopped;
    /** Whether the task is the cut task, or depends on it (see {@link Run}). */
    boolean depends;
    /** The choice whether the task is dispatched, if there is one. */
    int skipNode = -1;
    /** The accesses of a task of the main thread, which count as the cut task's once it is cut. */
    final List<Cell> cells = new ArrayList<>();
    final List<Boolean> writes = new ArrayList<>();

    /** Whether the task has accessed anything. */
    boolean acted;
    /** How many steps the task took, and how often it asked for a time or a random number. */
    int steps;
    int draws;
    /** How many objects got their hash codes in the task. */
    int hashes;
    private Thread thread;

    Task(Event event, Task parent, int number, boolean any, Runnable body) {
        this.event = event;
        this.parent = parent;
        this.number = number;
        this.any = any;
        this.body = body;
    }

    /** The path of the task: {@code send.1.2} is the second task that the first task of send posted. */
    String name() {
        return parent == null ? event.name : parent.name() + "." + number;
    }

    /** The thread of a task that has one of its own. */
    Thread thread() {
        if (thread == null) {
            thread = body instanceof Thread started ? started : new Thread("thread of " + name());
        }
        return thread;
    }

    Map<Object, Object> locals() {
        if (locals == null) {
            locals = new HashMap<>();
        }
        return locals;
    }

    Map<Object, int[]> held() {
        if (held == null) {
            held = new IdentityHashMap<>();
        }
        return held;
    }
}
