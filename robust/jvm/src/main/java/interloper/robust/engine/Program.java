package interloper.robust.engine;

import interloper.robust.Driver;
import interloper.robust.code.Loader;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The application under its driver. Each run starts from the same state: the static fields of all loaded
 * classes are cleared and their initialisers run again, in the order of the first time. Where that is not
 * enough, for instance because an enumeration has state, each run has a class loader of its own; that costs
 * about a hundred times as much.
 */
final class Program {
    private static Program current;

    private final Supplier<Loader> loaders;
    private final String driver;
    private Loader loader;
    private Method entry;
    private final List<MethodHandle> initialisers = new ArrayList<>();
    /** An event that was declared while events ran, if there is one. */
    private String late;
    /** Whether each run has its own class loader. */
    boolean alwaysFresh;

    Program(Supplier<Loader> loaders, String driver) {
        this.loaders = loaders;
        this.driver = driver;
        current = this;
    }

    static Program current() {
        return current;
    }

    /** A driver that cannot be used, with the message for the user. */
    static final class BadDriver extends Exception {
        private static final long serialVersionUID = 1;

        BadDriver(String message) {
            super(message);
        }
    }

    /** Brings all static state back to the beginning, and lets the driver declare its events. */
    List<Event> declare(Execution execution) throws BadDriver {
        Hooks.startRun();
        Hooks.execution = execution;
        reset();
        List<Event> events = new ArrayList<>();
        Driver api = new Driver() {
            @Override
            public Driver.Event event(String name, Runnable handler) {
                if (Hooks.execution.task() != null) {
                    late = name;
                }
                if (name == null || handler == null) {
                    throw new IllegalArgumentException("an event needs a name and a handler");
                }
                if (events.stream().anyMatch(event -> event.name.equals(name))) {
                    throw new IllegalArgumentException("two events are called " + name);
                }
                var event = new interloper.robust.engine.Event(events.size(), name, handler);
                events.add(event);
                return event;
            }

            @Override
            public int any(int n) {
                return n < 2 ? 0 : Hooks.execution.any(n);
            }

            @Override
            public void assume(boolean condition) {
                Hooks.execution.assume(condition);
            }
        };
        try {
            entry.invoke(null, api);
        } catch (InvocationTargetException failure) {
            Throwable cause = failure.getCause();
            if (cause instanceof Signal signal) {
                throw signal;
            }
            throw new BadDriver("the driver " + driver + " failed with " + cause + " at " + Findings.place(cause));
        } catch (IllegalAccessException failure) {
            throw new BadDriver("the driver " + driver + " is not public");
        }
        if (events.isEmpty() || events.size() > 60) {
            throw new BadDriver("the driver " + driver + " declares " + events.size()
                    + " events; it should declare 1 to 60 with driver.event(name, handler)");
        }
        checkOrder(events);
        return events;
    }

    /** Fails if an event can never happen because of what the driver puts before it. */
    private void checkOrder(List<Event> events) throws BadDriver {
        List<Event> open = new ArrayList<>(events);
        boolean found = true;
        while (found) {
            found = open.removeIf(event -> event.afterStart.stream().noneMatch(open::contains)
                    && event.afterEnd.stream().noneMatch(open::contains));
        }
        if (!open.isEmpty()) {
            throw new BadDriver("event " + open.get(0).name + " of the driver " + driver
                    + " can never happen, because it comes after itself");
        }
    }

    /** Fails if the code that ran declared an event. */
    void checkDeclared() throws BadDriver {
        if (late != null) {
            throw new BadDriver("the driver " + driver + " declares event " + late
                    + " while events run; it should declare all events in main");
        }
    }

    private void reset() throws BadDriver {
        if (loader == null || alwaysFresh) {
            initialisers.clear();
            loader = loader == null ? loaders.get() : loader.fresh();
            entry = entry();
            return;
        }
        Hooks.execution.initialiserBegins("");
        try {
            // Initialisers may load further classes, which are then new.
            for (int i = 0, n = initialisers.size(); i < n; i++) {
                initialisers.get(i).invokeExact();
            }
        } catch (Signal signal) {
            throw signal;
        } catch (Throwable failure) {
            throw new BadDriver("a static initialiser failed with " + failure + " at " + Findings.place(failure));
        } finally {
            Hooks.execution.initialiserEnds();
        }
    }

    private Method entry() throws BadDriver {
        try {
            Class<?> type = Class.forName(driver, true, loader);
            Method main = type.getDeclaredMethod("main", Driver.class);
            if (!Modifier.isStatic(main.getModifiers())) {
                throw new BadDriver("the method main of " + driver + " should be static");
            }
            main.setAccessible(true);
            return main;
        } catch (ClassNotFoundException failure) {
            throw new BadDriver("the class path has no class " + driver
                    + "; --driver takes a full name, as in com.example.ChatDriver");
        } catch (NoSuchMethodException failure) {
            throw new BadDriver(driver + " has no method public static void main(interloper.robust.Driver)");
        } catch (LinkageError failure) {
            throw new BadDriver("the driver " + driver + " cannot be loaded: " + Findings.missing(failure));
        }
    }

    /** Keeps the initialiser of a class for the next runs. */
    void initialised(String type) {
        try {
            Method reset = Class.forName(type, false, loader).getDeclaredMethod(Loader.RESET);
            reset.setAccessible(true);
            initialisers.add(MethodHandles.lookup().unreflect(reset));
        } catch (ReflectiveOperationException failure) {
            throw new LinkageError("the static initialiser of " + type + " cannot be repeated", failure);
        }
    }
}
