package interloper.robust.engine;

import interloper.robust.code.Site;
import interloper.robust.code.Sites;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Instant;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * What instrumented code calls instead of methods of the library: the same names, the receiver first. Where a
 * substitute reports accesses itself, the sites of a read and of a write come last.
 */
public final class Substitutes {
    private static final long START = 1_700_000_000_000L;

    private Substitutes() {}

    public static void start(Thread thread) {
        Hooks.post(true, thread);
    }

    public static void sleep(long millis) {}

    public static void sleep(long millis, int nanos) {}

    public static void sleep(TimeUnit unit, long duration) {}

    public static void execute(Executor executor, Runnable task) {
        if (Hooks.isInstrumented(executor.getClass())) {
            executor.execute(task);
        } else {
            Hooks.post(true, task);
        }
    }

    public static Future<?> submit(Executor executor, Runnable task) {
        return submit(executor, task, null);
    }

    public static <T> Future<T> submit(Executor executor, Runnable task, T value) {
        if (Hooks.isInstrumented(executor.getClass())) {
            return ((ExecutorService) executor).submit(task, value);
        }
        return submit(executor, () -> {
            task.run();
            return value;
        });
    }

    public static <T> Future<T> submit(Executor executor, Callable<T> task) {
        if (Hooks.isInstrumented(executor.getClass())) {
            return ((ExecutorService) executor).submit(task);
        }
        Result<T> result = new Result<>(task);
        Hooks.post(true, result);
        return result;
    }

    public static ScheduledFuture<?> schedule(ScheduledExecutorService executor, Runnable task, long delay, TimeUnit unit) {
        return schedule(executor, Executors.callable(task), delay, unit);
    }

    public static <T> ScheduledFuture<T> schedule(
            ScheduledExecutorService executor, Callable<T> task, long delay, TimeUnit unit) {
        if (Hooks.isInstrumented(executor.getClass())) {
            return executor.schedule(task, delay, unit);
        }
        Result<T> result = new Result<>(task);
        Hooks.post(true, result);
        return result;
    }

    /** The result of a submitted task. To wait for it is not modelled, and reported where it is called. */
    private static final class Result<T> implements ScheduledFuture<T>, Runnable {
        private final Callable<T> task;
        private T value;
        private boolean done;

        Result(Callable<T> task) {
            this.task = task;
        }

        @Override
        public void run() {
            try {
                value = task.call();
                done = true;
            } catch (RuntimeException failure) {
                throw failure;
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        }

        @Override
        public T get() {
            return value;
        }

        @Override
        public T get(long timeout, TimeUnit unit) {
            return value;
        }

        @Override
        public boolean cancel(boolean interrupts) {
            return false;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public boolean isDone() {
            return done;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    public static void schedule(Timer timer, TimerTask task, long delay) {
        Hooks.post(true, task);
    }

    public static void invokeLater(Runnable task) {
        Hooks.post(false, task);
    }

    public static long currentTimeMillis() {
        return START + draw();
    }

    public static long nanoTime() {
        return draw() * 1_000_000L;
    }

    public static Instant now() {
        return Instant.ofEpochMilli(currentTimeMillis());
    }

    /** The seed of a new random generator, or the time of a new date. */
    public static long seed() {
        return START + draw();
    }

    public static double random() {
        return (draw() * 0x9E3779B97F4A7C15L >>> 11) * 0x1.0p-53;
    }

    public static UUID randomUUID() {
        Task task = Hooks.execution.task();
        return new UUID(task == null ? 0 : task.name().hashCode(), draw());
    }

    /** A number that grows within a task and is the same whatever other tasks do. */
    private static int draw() {
        Task task = Hooks.execution.task();
        return task == null ? 0 : ++task.draws;
    }

    public static int identityHashCode(Object object) {
        return IdentityHashes.of(object);
    }

    public static int hashCode(Object object, int read, int write) {
        Locations all = new Locations();
        Contents.value(all, object, Sites.get(read));
        Hooks.execution.access(all);
        return IdentityHashes.isOfLibrary(object) ? IdentityHashes.of(object) : object.hashCode();
    }

    public static Thread currentThread() {
        return Hooks.execution.thread();
    }

    public static void exit(int status) {
        Hooks.execution.assume(false);
    }

    public static void exit(Runtime runtime, int status) {
        exit(status);
    }

    public static void halt(Runtime runtime, int status) {
        exit(status);
    }

    public static Object get(ThreadLocal<?> local, int read, int write) {
        local(local, read);
        Map<Object, Object> values = Hooks.execution.locals();
        if (!values.containsKey(local)) {
            local.remove();
            Object initial = local.get();
            local.remove();
            values.put(local, initial);
        }
        return values.get(local);
    }

    public static void set(ThreadLocal<?> local, Object value, int read, int write) {
        local(local, write);
        Hooks.execution.locals().put(local, value);
    }

    public static void remove(ThreadLocal<?> local, int read, int write) {
        local(local, write);
        Hooks.execution.locals().remove(local);
    }

    /** The tasks of the main thread share its value. */
    private static void local(ThreadLocal<?> local, int site) {
        if (Hooks.isMain()) {
            Hooks.execution.access(local, Sites.CONTENTS, Sites.get(site));
        }
    }

    public static void arraycopy(Object from, int start, Object to, int at, int count, int read, int write) {
        if (from != null && to != null && from.getClass().isArray() && to.getClass().isArray()) {
            Locations all = new Locations();
            Contents.elements(all, from, start, start + count, Sites.get(read));
            Contents.elements(all, to, at, at + count, Sites.get(write));
            Hooks.execution.access(all);
        }
        System.arraycopy(from, start, to, at, count);
    }

    public static Object get(Object array, int index, int read, int write) {
        Hooks.element(array, index, read);
        return java.lang.reflect.Array.get(array, index);
    }

    public static void set(Object array, int index, Object value, int read, int write) {
        Hooks.element(array, index, write);
        java.lang.reflect.Array.set(array, index, value);
    }

    public static Object get(Field field, Object object, int read, int write) throws IllegalAccessException {
        field(field, object, Sites.get(read));
        return field.get(object);
    }

    public static void set(Field field, Object object, Object value, int read, int write) throws IllegalAccessException {
        field(field, object, Sites.get(write));
        field.set(object, value);
    }

    private static void field(Field field, Object object, Site site) {
        open(field, field);
        if (!Modifier.isFinal(field.getModifiers())) {
            Hooks.declaredField(field, object, site);
        }
    }

    public static Object invoke(Method method, Object object, Object[] arguments, int read, int write)
            throws IllegalAccessException, InvocationTargetException {
        open(method, method);
        if (!Hooks.isInstrumented(method.getDeclaringClass())) {
            Hooks.byReflection(method, object, Sites.get(read), Sites.get(write));
        }
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException failure) {
            throw unwrapped(failure);
        }
    }

    public static Object newInstance(Constructor<?> constructor, Object[] arguments, int read, int write)
            throws InstantiationException, IllegalAccessException, InvocationTargetException {
        open(constructor, constructor);
        try {
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException failure) {
            throw unwrapped(failure);
        }
    }

    private static InvocationTargetException unwrapped(InvocationTargetException failure) {
        if (failure.getCause() instanceof Signal signal) {
            throw signal;
        }
        return failure;
    }

    /** The application may use what it declares; the check would see this class as the caller. */
    private static void open(AccessibleObject object, Member member) {
        if (Hooks.isInstrumented(member.getDeclaringClass())) {
            object.setAccessible(true);
        }
    }
}
