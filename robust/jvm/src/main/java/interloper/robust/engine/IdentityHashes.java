package interloper.robust.engine;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hash codes of objects that do not compute their own. The JVM draws them at random, so objects of the application
 * get others, which depend only on what their task did before. Other objects keep theirs; a collection whose order
 * they decide is reported.
 */
final class IdentityHashes {
    private static final Map<Object, Integer> codes = new IdentityHashMap<>();
    /** How many codes objects got outside tasks. */
    private static int outside;

    private IdentityHashes() {}

    static synchronized void startRun() {
        codes.clear();
        outside = 0;
    }

    /** The code of an object, the same in each run with the same choices. */
    static synchronized int of(Object object) {
        if (object == null) {
            return 0;
        }
        return codes.computeIfAbsent(object, key -> {
            Task task = Hooks.execution.task();
            int number = task == null ? ++outside : 31 * task.name().hashCode() + ++task.hashes;
            return number * 0x9E3779B9 >>> 1;
        });
    }

    /** Whether identity hash codes decide something: those of the JVM, or those that objects get here. */
    enum Decide { NO, OF_LIBRARY, OF_APPLICATION }

    /** Whether the hash code of objects of a class is that of their identity. */
    private static final ClassValue<Decide> DECIDE = new ClassValue<>() {
        @Override
        protected Decide computeValue(Class<?> type) {
            try {
                Method method = type.getMethod("hashCode");
                Class<?> declaring = method.getDeclaringClass();
                if (declaring == Object.class || declaring == Enum.class) {
                    return Decide.OF_LIBRARY;
                }
                return method.isSynthetic() ? Decide.OF_APPLICATION : Decide.NO;
            } catch (NoSuchMethodException failure) {
                return Decide.OF_LIBRARY;
            }
        }
    };

    /** Whether the library computes the hash code of an object from its identity. */
    static boolean isOfLibrary(Object object) {
        return DECIDE.get(object.getClass()) == Decide.OF_LIBRARY;
    }

    /** Whether the order of a set or a map depends on the identity of its elements, or on the start of the JVM. */
    static Decide decideOrder(Object collection) {
        Set<?> keys = collection instanceof Map<?, ?> map ? map.keySet() : collection instanceof Set<?> set ? set : Set.of();
        if (keys.size() < 2 || Hooks.isInstrumented(collection.getClass())) {
            return Decide.NO;
        }
        String name = collection.getClass().getName();
        if (name.startsWith("java.util.ImmutableCollections$") || collection instanceof IdentityHashMap) {
            return Decide.OF_LIBRARY;
        }
        boolean isLinked = collection instanceof LinkedHashSet || collection instanceof LinkedHashMap;
        boolean hashes = collection instanceof HashMap || collection instanceof HashSet || collection instanceof Hashtable
                || collection instanceof WeakHashMap || collection instanceof ConcurrentHashMap
                || name.startsWith(ConcurrentHashMap.class.getName() + "$");
        int[] counts = new int[Decide.values().length];
        for (Object key : hashes && !isLinked ? keys : Set.of()) {
            counts[(key == null ? Decide.NO : DECIDE.get(key.getClass())).ordinal()]++;
        }
        return counts[Decide.OF_LIBRARY.ordinal()] > 1 ? Decide.OF_LIBRARY
                : counts[Decide.OF_APPLICATION.ordinal()] > 1 ? Decide.OF_APPLICATION : Decide.NO;
    }
}
