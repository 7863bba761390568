package interloper.robust.engine;

import interloper.robust.code.Library;
import interloper.robust.code.Site;
import interloper.robust.code.Sites;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** The methods that instrumented code calls. */
public final class Hooks {
    static Execution execution;

    private Hooks() {}

    static void startRun() {
        Contents.startRun();
        IdentityHashes.startRun();
    }

    public static void field(Object object, int site) {
        if (object != null) {
            Site at = Sites.get(site);
            execution.access(object, at.field, at);
        }
    }

    public static void global(int site) {
        Site at = Sites.get(site);
        execution.access(null, at.field, at);
    }

    public static void element(Object array, int index, int site) {
        if (array != null && index >= 0 && index < Array.getLength(array)) {
            Contents.checkArray(array, Sites.get(site));
            execution.access(array, Contents.elementKey(index), Sites.get(site));
        }
    }

    /** The locations of a call that may access several. */
    public static Locations locations() {
        return new Locations();
    }

    public static void receiver(Locations all, Object receiver, int site) {
        Contents.receiver(all, receiver, Sites.get(site));
    }

    public static void argument(Locations all, Object argument, int site) {
        Contents.argument(all, argument, Sites.get(site));
    }

    /** Elements of an array, for a call that takes the array and a range. */
    public static void range(Locations all, Object array, int from, int to, int site) {
        if (array != null) {
            Contents.elements(all, array, from, to, Sites.get(site));
        }
    }

    public static void value(Locations all, Object value, int site) {
        Contents.value(all, value, Sites.get(site));
    }

    public static void components(Locations all, Object record, int site) {
        Contents.components(all, record, Sites.get(site));
    }

    /** Before the call. */
    public static void together(Locations all) {
        execution.access(all);
    }

    /** Before a call of a method of a library object that accesses nothing else. */
    public static void contents(Object receiver, int site) {
        Locations all = new Locations();
        Contents.receiver(all, receiver, Sites.get(site));
        execution.access(all);
    }

    /** Before a call of a constructor of the library. */
    public static void argument(Object argument, int site) {
        Locations all = new Locations();
        Contents.argument(all, argument, Sites.get(site));
        execution.access(all);
    }

    /** Before the fields of an object are copied. */
    public static void cloned(Object object, int site) {
        Locations all = new Locations();
        Contents.fields(all, object, Sites.get(site));
        execution.access(all);
    }

    public static void wrap(Object object) {
        Contents.wrap(object);
    }

    public static void wrapper(Object object) {
        Contents.wrapper(object);
    }

    public static Object view(Object result, Object receiver) {
        Contents.view(result, receiver);
        return result;
    }

    /** Before a call that shows the order of a collection. */
    public static void order(Object receiver, int site) {
        Contents.checkOrder(receiver, Sites.get(site));
    }

    /** After a call of {@code Arrays.asList}. */
    public static void list(Object array) {
        Contents.list(array);
    }

    /** After an object or an array was created. */
    public static void created(Object object) {
        execution.created(object);
    }

    /** The hash code of an object whose class does not compute one. */
    public static int hash(Object object) {
        return IdentityHashes.of(object);
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
        if (at.write) {
            execution.unmodelled(at, at.what);
        } else {
            execution.remark(at, at.what);
        }
    }

    /** Before a call that waits for another task, which is not modelled: the task stops. */
    public static void waits() {
        execution.assume(false);
    }

    public static void initialiserBegins(String type) {
        execution.initialiserBegins(type);
    }

    public static void initialiserEnds() {
        execution.initialiserEnds();
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
        execution.access(Modifier.isStatic(field.getModifiers()) ? null : object, key, site);
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
