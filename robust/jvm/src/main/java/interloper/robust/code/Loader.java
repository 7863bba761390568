package interloper.robust.code;

import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Loads the classes of the application before those of this program, and instruments those that are included. */
public final class Loader extends ClassLoader {
    /** The method that brings the static fields of a class back to the beginning. */
    public static final String RESET = "$interloper$reset";

    private final ClassPath classPath;
    private final Hierarchy hierarchy;
    private final List<String> included;
    private final Counts counts;
    /** The instrumented classes, which fresh loaders share so that sites keep their numbers. */
    private final Map<String, byte[]> instrumented;

    /** How much was instrumented. */
    public static final class Counts {
        public final AtomicInteger classes = new AtomicInteger();
        public final AtomicInteger methods = new AtomicInteger();
        public final AtomicInteger instructions = new AtomicInteger();
        public final AtomicInteger accesses = new AtomicInteger();
        /** Whether some class has state that an initialiser does not reset. */
        public volatile boolean needsFreshLoaders;
    }

    /** A loader that instruments classes whose names start with one of the prefixes, or all if there is none. */
    public Loader(ClassPath classPath, List<String> included, Counts counts) {
        this(classPath, included, counts, new Hierarchy(classPath), new HashMap<>());
    }

    private Loader(ClassPath classPath, List<String> included, Counts counts, Hierarchy hierarchy,
            Map<String, byte[]> instrumented) {
        super(Loader.class.getClassLoader());
        this.classPath = classPath;
        this.included = included;
        this.counts = counts;
        this.hierarchy = hierarchy;
        this.instrumented = instrumented;
    }

    /** A loader for the same classes that has loaded none of them. */
    public Loader fresh() {
        return new Loader(classPath, included, counts, hierarchy, instrumented);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] bytes = classPath.find(name.replace('.', '/'));
            if (bytes == null) {
                return super.loadClass(name, resolve);
            }
            byte[] code = includes(name.replace('.', '/')) ? instrument(name, bytes) : bytes;
            return defineClass(name, code, 0, code.length);
        }
    }

    private byte[] instrument(String name, byte[] bytes) {
        return instrumented.computeIfAbsent(name, key -> {
            try {
                return Instrumenter.instrument(bytes, this, hierarchy, counts);
            } catch (RuntimeException failure) {
                throw new ClassFormatError(name + " cannot be instrumented: " + failure.getMessage());
            }
        });
    }

    /** Whether a class, by its internal name, is instrumented. Models always are. */
    boolean includes(String name) {
        if (classPath.find(name) == null) {
            return false;
        }
        if (included.isEmpty() || name.startsWith("android/")) {
            return true;
        }
        String dotted = name.replace('/', '.');
        return included.stream().anyMatch(dotted::startsWith);
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        InputStream found = classPath.open(name);
        return found != null ? found : super.getResourceAsStream(name);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        throw new ClassNotFoundException(name);
    }
}
