package interloper.robust.engine;

import interloper.robust.code.Library;
import interloper.robust.code.Site;
import interloper.robust.code.Sites;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Enumeration;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Spliterator;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.BaseStream;

/**
 * What calls of the library access: the contents of a library object are one location, the elements of an array
 * are one each. An iterator, an entry, a view or a stream belongs to the object that it was made from.
 */
final class Contents {
    /** How deep a call that compares or prints an object is followed into collections. */
    private static final int MAX_DEPTH = 5;

    /** The object that something belongs to, and the task that uses it, if it is an iterator. */
    private static final class View {
        final Object base;
        Task user;

        View(Object base) {
            this.base = base;
        }
    }

    private static final Map<Object, View> views = new IdentityHashMap<>();
    /** The arrays that are also lists. */
    private static final Map<Object, Object> lists = new IdentityHashMap<>();

    private Contents() {}

    static synchronized void startRun() {
        views.clear();
        lists.clear();
    }

    static long elementKey(int index) {
        return (long) index << 32 | Sites.ELEMENTS;
    }

    /** Elements of an array. */
    static void elements(Locations all, Object array, int from, int to, Site site) {
        int end = Math.min(to, Array.getLength(array));
        if (Hooks.execution.task() == null) {
            return;
        }
        checkArray(array, site);
        for (int i = Math.max(from, 0); i < end; i++) {
            all.add(array, elementKey(i), site);
        }
    }

    /** The receiver of a call. */
    static void receiver(Locations all, Object receiver, Site site) {
        if (receiver != null && HOLDS_STATE.get(receiver.getClass())) {
            all.add(base(receiver, site), Sites.CONTENTS, site);
        }
    }

    /** An argument of a call that reads the argument itself, but not what the argument contains. */
    static void argument(Locations all, Object argument, Site site) {
        if (argument == null) {
            return;
        }
        if (argument.getClass().isArray()) {
            elements(all, argument, 0, Array.getLength(argument), site);
        } else if (IS_LOCATION.get(argument.getClass())) {
            all.add(base(argument, site), Sites.CONTENTS, site);
        }
    }

    /** An object that a call compares or prints: with it, the call reads what it contains. */
    static void value(Locations all, Object value, Site site) {
        if (Hooks.execution.task() != null) {
            value(all, value, site, MAX_DEPTH);
        }
    }

    private static void value(Locations all, Object value, Site site, int depth) {
        if (value == null || depth == 0) {
            return;
        }
        argument(all, value, site);
        if (value instanceof Object[] elements) {
            for (Object element : elements) {
                value(all, element, site, depth - 1);
            }
        } else if (value instanceof Optional<?> optional) {
            value(all, optional.orElse(null), site, depth - 1);
        } else if (Hooks.isInstrumented(value.getClass())) {
            return; // If its own code reads what it contains, that is seen.
        } else if (value instanceof Collection<?> collection) {
            for (Object element : collection) {
                value(all, element, site, depth - 1);
            }
        } else if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                value(all, entry.getKey(), site, depth - 1);
                value(all, entry.getValue(), site, depth - 1);
            }
        } else if (value instanceof Map.Entry<?, ?> entry) {
            value(all, entry.getValue(), site, depth - 1);
        } else if (value instanceof AtomicReference<?> reference) {
            value(all, reference.get(), site, depth - 1);
        }
    }

    /** What the generated methods of a record read of a record, apart from its fields, which are final. */
    static void components(Locations all, Object record, Site site) {
        if (record == null || !record.getClass().isRecord()) {
            return;
        }
        try {
            for (Field field : record.getClass().getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    value(all, field.get(record), site);
                }
            }
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException("a component cannot be read", failure);
        }
    }

    /** The fields of an object that is cloned. */
    static void fields(Locations all, Object object, Site site) {
        for (Class<?> at = object.getClass(); Hooks.isInstrumented(at); at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.FINAL)) == 0) {
                    all.add(object, Sites.field(at.getName().replace('.', '/'), field.getName()), site);
                }
            }
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
            while (Hooks.isInstrumented(at)) {
                at = at.getSuperclass();
            }
            return at == type || at != Object.class && !Modifier.isAbstract(at.getModifiers());
        }
    };

    /** Whether objects of a class are locations, whatever the code knows of their class. */
    private static final ClassValue<Boolean> IS_LOCATION = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return HOLDS_STATE.get(type) && isObject(type);
        }

        private boolean isObject(Class<?> type) {
            if (type == null) {
                return false;
            }
            String name = type.getName().replace('.', '/');
            if (Library.isListed(name)) {
                return Library.isObject(name, "");
            }
            if (isObject(type.getSuperclass())) {
                return true;
            }
            for (Class<?> parent : type.getInterfaces()) {
                if (isObject(parent)) {
                    return true;
                }
            }
            return false;
        }
    };

    /** The object whose contents an object stands for. An iterator has a position, which only one task may use. */
    private static synchronized Object base(Object object, Site site) {
        View view = views.get(object);
        if (object instanceof Iterator || object instanceof Enumeration) {
            if (view == null) {
                view = new View(object);
                views.put(object, view);
            }
            Task task = Hooks.execution.task();
            if (view.user == null) {
                view.user = task;
            } else if (task != null && task != view.user) {
                Hooks.execution.unmodelled(site, "an iterator is used by two tasks, which is not modelled,");
            }
        }
        return view == null ? object : view.base;
    }

    /** Notes that what a method of a library object returned belongs to that object. */
    static synchronized void view(Object result, Object receiver) {
        if (result != null && result != receiver && receiver != null && isView(result, receiver)) {
            View of = views.get(receiver);
            views.put(result, new View(of == null ? receiver : of.base));
        }
    }

    private static boolean isView(Object result, Object receiver) {
        if (!HOLDS_STATE.get(receiver.getClass()) || !HOLDS_STATE.get(result.getClass())) {
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

    /** What the object that is being constructed wraps. */
    private static Object wrapped;

    /** Before the constructor of a stream, a reader or a writer is called that takes another one. */
    static synchronized void wrap(Object object) {
        wrapped = object;
    }

    /** After the constructor: what is done with the wrapper is done with what it wraps. */
    static synchronized void wrapper(Object object) {
        if (wrapped != null) {
            View of = views.get(wrapped);
            views.put(object, new View(of == null ? wrapped : of.base));
        }
    }

    /** Notes that an array is also a list. */
    static synchronized void list(Object array) {
        lists.put(array, array);
    }

    /** An access of an array: the list that it may also be would be another location. */
    static void checkArray(Object array, Site site) {
        if (!lists.isEmpty() && isList(array)) {
            Hooks.execution.unmodelled(site, "an array is also used through Arrays.asList, which is not modelled,");
        }
    }

    private static synchronized boolean isList(Object array) {
        return lists.containsKey(array);
    }

    /** A call that shows the order of a collection, which must be the same in each execution. */
    static void checkOrder(Object receiver, Site site) {
        if (receiver == null) {
            return;
        }
        switch (IdentityHashes.decideOrder(base(receiver, site))) {
            case NO -> {}
            case OF_LIBRARY -> Hooks.execution.unmodelled(
                    site, "identity hash codes, which differ in each execution, decide the order of a collection");
            case OF_APPLICATION -> Hooks.execution.remark(
                    site, "a collection that identity hash codes order has the same order in each run");
        }
    }
}
