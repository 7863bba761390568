package interloper.robust;

import interloper.robust.engine.Hooks;

/**
 * Posts tasks. Models of libraries call these methods where the library would put a task into a queue.
 * A post outside all events, for example while the driver creates the application, is an error.
 */
public final class Tasks {
    private Tasks() {}

    /** Posts a task to the main thread, which runs one task at a time, in any order. */
    public static void main(Runnable task) {
        Hooks.post(false, task);
    }

    /** Whether the current task runs on the main thread. */
    public static boolean isMain() {
        return Hooks.isMain();
    }

    /** Posts a task that runs on a thread of its own. */
    public static void any(Runnable task) {
        Hooks.post(true, task);
    }
}
