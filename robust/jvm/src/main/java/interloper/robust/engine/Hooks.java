package interloper.robust.engine;

import interloper.robust.code.Library;
import interloper.robust.code.Site;
import interloper.robust.code.Sites;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Enumeration;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Spliterator;
import java.util.stream.BaseStream;

/** The methods that instrumented code calls. */
public final class Hooks {
    static Execution execution;
    /** The object of the library that an iterator, an entry, a view or a stream belongs to, in this run. */
    private static final Map<Object, Object> views = new IdentityHashMap<>();

    private Hooks() {}

    static void startRun() {
        synchronized (views) {
            views.clear();
        }
    }

    public static void field(Object object, int site) {
        if (object != null) {
            Site at = Sites.get(site);
            execution.access(object, at.field, at, true);
        }
    }

    public static void global(int site) {
        Site at = Sites.get(site);
        execution.access(null, at.field, at, true);
    }

    public static void element(Object array, int index, int site) {
        if (array != null && index >= 0 && index < Array.getLength(array)) {
            execution.access(array, elementKey(index), Sites.get(site), true);
        }
    }

    private static long elementKey(int index) {
        return (long) index << 32 | Sites.ELEMENTS;
    }

    /** Elements of an array that a library method accesses in one step. */
    static void elements(Object array, int from, int to, Site site) {
        int end = Math.min(to, Array.getLength(array));
        for (int i = Math.max(from, 0); i < end; i++) {
            execution.access(array, elementKey(i), site, i == from);
        }
    }

    /** Before a call of a method of a library object, whose contents are one location. */
    public static void contents(Object receiver, int site) {
        if (receiver != null && holdsState(receiver)) {
            execution.access(base(receiver), Sites.CONTENTS, Sites.get(site), true);
        }
    }

    /** Before a call whose library method reads an argument. */
    public static void argument(Object argument, int site) {
        if (argument == null) {
            return;
        }
        if (argument.getClass().isArray()) {
            elements(argument, 0, Array.getLength(argument), Sites.get(site));
        } else if (isMutable(argument)) {
            execution.access(base(argument), Sites.CONTENTS, Sites.get(site), true);
        }
    }

    /**
     * Whether the library's part of an object has state. An object of the application that extends only
     * {@code Object} or an abstract collection keeps its state in its own fields.
     */
    private static final ClassValue<Boolean> HOLDS_STATE = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            Class<?> at = type;
            while (isInstrumented(at)) {
                at = at.getSuperclass();
            }
            return at == type || at != Object.class && !Modifier.isAbstract(at.getModifiers());
        }
    };

    private static boolean holdsState(Object object) {
        return HOLDS_STATE.get(object.getClass());
    }

    private static boolean isMutable(Object object) {
        return (object instanceof Collection || object instanceof Map || object instanceof Iterator
                        || object instanceof StringBuilder || object instanceof StringBuffer)
                && holdsState(object);
    }

    private static Object base(Object object) {
        synchronized (views) {
            return views.getOrDefault(object, object);
        }
    }

    /** Notes that what a method of a library object returned belongs to that object. */
    public static Object view(Object result, Object receiver) {
        if (result != null && result != receiver && receiver != null && isView(result, receiver)) {
            synchronized (views) {
                views.put(result, views.getOrDefault(receiver, receiver));
            }
        }
        return result;
    }

    private static boolean isView(Object result, Object receiver) {
        if (!holdsState(receiver) || !holdsState(result)) {
            return false;
        }
        if (receiver instanceof Iterator) {
            return result instanceof Map.Entry;
        }
        boolean moves = result instanceof Iterator || result instanceof BaseStream || result instanceof Spliterator
                || result instanceof Enumeration;
        return moves || !(receiver instanceof BaseStream)
                && (result instanceof Collection || result instanceof Map || result instanceof Map.Entry);
    }

    public static void enter(Object monitor, int site) {
        if (monitor == null) {
            throw new NullPointerException("synchronized (null)");
        }
        execution.acquire(monitor, Sites.get(site));
    }

    public static void exit(Object monitor) {
        execution.release(monitor);
    }

    /** First in each handler that could catch a signal. */
    public static void caught(Throwable problem) {
        if (problem instanceof Signal signal) {
            throw signal;
        }
    }

    public static void round(int site) {
        execution.step(Sites.get(site));
    }

    public static void unmodelled(int site) {
        Site at = Sites.get(site);
        execution.unmodelled(at, at.what);
    }

    /** Before a call that waits for another task, which is not modelled: the task stops. */
    public static void waits() {
        execution.assume(false);
    }

    public static void initialiser(boolean enters) {
        execution.initialiser(enters);
    }

    /** After the static initialiser of a class has run for the first time. */
    public static void initialised(String type) {
        Program.current().initialised(type);
    }

    public static void post(boolean any, Runnable task) {
        if (task == null) {
            throw new NullPointerException("a task is null");
        }
        execution.post(any, task);
    }

    public static boolean isMain() {
        Task task = execution.task();
        return task == null || !task.any;
    }

    /** An access of a field by reflection. */
    static void declaredField(Field field, Object object, Site site) {
        long key = Sites.field(field.getDeclaringClass().getName().replace('.', '/'), field.getName());
        execution.access(Modifier.isStatic(field.getModifiers()) ? null : object, key, site, true);
    }

    /** A call of a library method by reflection, which is judged as a call in the code would be. */
    static void byReflection(Method method, Object receiver, Site read, Site write) {
        String owner = method.getDeclaringClass().getName().replace('.', '/');
        if (Library.isObject(owner, method.getName())) {
            contents(receiver, (Library.reads(owner, method.getName()) ? read : write).id);
        } else if (!Library.isPure(owner, method.getName())) {
            execution.unmodelled(write, "Method.invoke calls " + method.getDeclaringClass().getSimpleName() + "."
                    + method.getName() + ", which is not modelled by reflection,");
        }
    }

    /** Whether a class was loaded for the application, so that its code is instrumented. */
    static boolean isInstrumented(Class<?> type) {
        return type.getClassLoader() instanceof interloper.robust.code.Loader;
    }
}
