package interloper.robust.engine;

/**
 * Ends a task or a run. It passes through the application's handlers, because instrumented handlers
 * begin with {@link Hooks#caught}.
 */
final class Signal extends Error {
    private static final long serialVersionUID = 1;

    /** The current task stops. */
    static final Signal STOP = new Signal("the task stops");
    /** No interleaving corresponds to the run. */
    static final Signal INFEASIBLE = new Signal("no interleaving corresponds to the run");
    /** The run differs from the one that it repeats. */
    static final Signal DIVERGED = new Signal("the run differs from the one that it repeats");

    private Signal(String message) {
        super(message, null, false, false);
    }
}
