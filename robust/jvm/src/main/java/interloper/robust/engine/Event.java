package interloper.robust.engine;

import interloper.robust.Driver;
import java.util.ArrayList;
import java.util.List;

/** A declared event of the driver. */
final class Event implements Driver.Event {
    final int id;
    final String name;
    final Runnable handler;
    final List<Event> afterStart = new ArrayList<>();
    final List<Event> afterEnd = new ArrayList<>();

    Event(int id, String name, Runnable handler) {
        this.id = id;
        this.name = name;
        this.handler = handler;
    }

    @Override
    public Driver.Event afterStart(Driver.Event other) {
        afterStart.add((Event) other);
        return this;
    }

    @Override
    public Driver.Event afterEnd(Driver.Event other) {
        afterEnd.add((Event) other);
        return this;
    }
}
