package interloper.robust;

/**
 * States which events happen, each once, and what is known about their order. A driver class has a
 * method {@code public static void main(Driver driver)}, which creates the application and declares
 * its events:
 *
 * <pre>
 * public static void main(Driver driver) {
 *     Chat chat = new Chat();
 *     Driver.Event send = driver.event("send", chat::onSend);
 *     driver.event("type", chat::onType).afterStart(send);
 * }
 * </pre>
 *
 * The method runs anew for each run. It must do the same each time, except for what {@link #any}
 * returns.
 */
public interface Driver {
    /** Declares an event. Its handler runs on the main thread. The name identifies it in reports. */
    Event event(String name, Runnable handler);

    /** Returns any of 0, …, {@code n - 1}: every value is tried. */
    int any(int n);

    /** Stops the current task for ever unless the condition holds. */
    void assume(boolean condition);

    /** A declared event. */
    interface Event {
        /** This event happens only after the other one has started. */
        Event afterStart(Event other);

        /** This event happens only after the other one and everything that it posted has ended. */
        Event afterEnd(Event other);
    }
}
