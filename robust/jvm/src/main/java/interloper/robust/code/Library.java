package interloper.robust.code;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What is known about the methods of the library, from {@code library.list}. */
public final class Library {
    enum Verdict { PURE, OBJECT, REPLACE, WRITES, BLOCKS, OUTSIDE, UNSEEN, IGNORED }

    /** Methods of a library object that only read it. All others write. */
    private static final Set<String> READS = Set.of(
            "get", "getOrDefault", "size", "isEmpty", "contains", "containsAll", "containsKey", "containsValue",
            "iterator", "listIterator", "descendingIterator", "spliterator", "indexOf", "lastIndexOf", "keySet",
            "values", "entrySet", "subList", "headMap", "tailMap", "subMap", "headSet", "tailSet", "subSet",
            "descendingMap", "descendingSet", "descendingKeySet", "navigableKeySet", "first", "last", "firstKey",
            "lastKey", "firstEntry", "lastEntry", "floor", "ceiling", "higher", "lower", "floorKey", "ceilingKey",
            "higherKey", "lowerKey", "floorEntry", "ceilingEntry", "higherEntry", "lowerEntry", "getFirst", "getLast",
            "peek", "peekFirst", "peekLast", "element", "elementAt", "firstElement", "lastElement", "elements", "keys",
            "toString", "hashCode", "equals", "clone", "forEach", "stream", "toArray", "length", "charAt",
            "substring", "subSequence", "chars", "hasNext", "next", "hasPrevious", "previous", "nextIndex",
            "previousIndex", "hasMoreElements", "nextElement", "getKey", "getValue", "getProperty", "intValue",
            "longValue", "getPlain", "getAcquire", "sum", "comparator", "getTime", "before", "after", "compareTo",
            "cardinality", "nextSetBit", "nextClearBit", "capacity", "forEachRemaining", "format", "copyOf", "of",
            "mappingCount", "reduceValues", "search", "getClass");

    /** Methods whose result belongs to the object: what is done with it is done with the object. */
    private static final Set<String> VIEWS = Set.of(
            "iterator", "listIterator", "descendingIterator", "spliterator", "keySet", "values", "entrySet", "subList",
            "headMap", "tailMap", "subMap", "headSet", "tailSet", "subSet", "descendingMap", "descendingSet",
            "descendingKeySet", "navigableKeySet", "firstEntry", "lastEntry", "floorEntry", "ceilingEntry",
            "higherEntry", "lowerEntry", "elements", "keys", "stream");

    /** Methods that may wake other tasks and wait for none. */
    private static final Set<String> WAKES = Set.of(
            "notify", "notifyAll", "countDown", "getCount", "release", "availablePermits", "signal", "signalAll",
            "interrupt", "isDone", "isCancelled", "cancel", "size", "isEmpty", "newCondition", "readLock", "writeLock",
            "isShutdown", "isTerminated", "shutdownNow", "complete", "completeExceptionally", "add", "isLocked");

    /** Methods that print, compare or hash what they are given, with all that it contains. */
    private static final Set<String> VALUES = Set.of(
            "toString", "valueOf", "format", "formatted", "print", "println", "printf", "append", "insert", "join",
            "equals", "deepEquals", "contentEquals", "compareTo", "hash", "hashCode", "deepHashCode", "deepToString");

    private static final Set<String> FILLS = Set.of("read", "readFully", "toArray", "getChars", "nextBytes");

    /** Methods that show the order of a collection. */
    private static final Set<String> ORDERED = Set.of(
            "iterator", "spliterator", "stream", "forEach", "toArray", "elements", "keys");

    /** Collections whose order is that of the collection from which they are made. */
    private static final Set<String> KEEP_ORDER = Set.of(
            "java/util/ArrayList", "java/util/LinkedList", "java/util/ArrayDeque", "java/util/Vector",
            "java/util/LinkedHashSet", "java/util/LinkedHashMap", "java/util/concurrent/CopyOnWriteArrayList");

    private static final Set<String> IMMUTABLE = Set.of(
            "java/lang/String", "java/lang/Class", "java/lang/Boolean", "java/lang/Character", "java/lang/Byte",
            "java/lang/Short", "java/lang/Integer", "java/lang/Long", "java/lang/Float", "java/lang/Double");

    private static final Map<String, Verdict> exact = new HashMap<>();
    private static final Map<String, Verdict> prefixes = new HashMap<>();

    static {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Library.class.getResourceAsStream("library.list"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                String[] words = line.trim().split(" +");
                Verdict verdict = Verdict.valueOf(words[0].toUpperCase(java.util.Locale.ROOT));
                if (words[1].endsWith("*")) {
                    prefixes.put(words[1].substring(0, words[1].length() - 1), verdict);
                } else {
                    exact.put(words[1], verdict);
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Library() {}

    /** The verdict on a method of a library class, or null if it is not modelled. */
    static Verdict verdict(String owner, String name) {
        Verdict found = exact.get(owner + "." + name);
        if (found == null) {
            found = exact.get("*." + name);
        }
        if (found != null) {
            return found;
        }
        if (owner.startsWith("[")) {
            return Verdict.PURE; // clone() of an array; the instrumentation reads its elements
        }
        found = exact.get(owner);
        if (found != null) {
            return found;
        }
        for (int end = owner.length(); end > 0; end--) {
            found = prefixes.get(owner.substring(0, end));
            if (found != null) {
                return found;
            }
        }
        if (owner.startsWith("java/") && (owner.endsWith("Exception") || owner.endsWith("Error"))) {
            return Verdict.PURE;
        }
        return null;
    }

    /** Whether a method has no effect that another task can see. */
    public static boolean isPure(String owner, String name) {
        return verdict(owner, name) == Verdict.PURE;
    }

    /** Whether anything is known about a class. */
    public static boolean isListed(String owner) {
        return verdict(owner, "") != null;
    }

    /** Whether a method accesses an object that is one location. */
    public static boolean isObject(String owner, String name) {
        return verdict(owner, name) == Verdict.OBJECT;
    }

    /** Whether a method that other tasks may wait for does not wait itself. */
    static boolean onlyWakes(String name) {
        return WAKES.contains(name);
    }

    /** Whether a method of a library object only reads it. */
    public static boolean reads(String owner, String name) {
        if (owner.startsWith("java/util/stream/")) {
            return true;
        }
        if (owner.startsWith("java/util/Iterator") || owner.startsWith("java/util/ListIterator")) {
            return !(name.equals("remove") || name.equals("set") || name.equals("add"));
        }
        return READS.contains(name) && !owner.equals("java/util/Random");
    }

    /** Whether values of a type never change, nor anything that they contain. */
    static boolean isImmutable(String type) {
        return IMMUTABLE.contains(type);
    }

    static boolean readsValues(String name) {
        return VALUES.contains(name);
    }

    /** Whether a method of a library object writes to the first collection or array that it is given. */
    static boolean fills(String name) {
        return FILLS.contains(name);
    }

    /** Whether a method of {@code Arrays} with these arguments accesses the elements of a range only. */
    static boolean takesRange(String owner, String descriptor) {
        return owner.equals("java/util/Arrays") && descriptor.matches("\\(\\[(\\w|L[^;]*;)II.*");
    }

    static boolean showsOrder(String name) {
        return ORDERED.contains(name);
    }

    static boolean keepsOrder(String owner) {
        return KEEP_ORDER.contains(owner);
    }

    /** Whether a method of {@code Collections} returns a view of its first argument. */
    static boolean wraps(String name) {
        return name.startsWith("unmodifiable") || name.startsWith("synchronized") || name.startsWith("checked")
                || name.equals("newSetFromMap") || name.equals("asLifoQueue") || name.equals("enumeration");
    }

    static boolean returnsView(String owner, String name) {
        return VIEWS.contains(name) || owner.startsWith("java/util/stream/")
                || owner.startsWith("java/util/Iterator") || owner.startsWith("java/util/ListIterator");
    }

    /** The words for a call that is not modelled. */
    static String reason(String owner, String name, Verdict verdict) {
        String call = owner.substring(owner.lastIndexOf('/') + 1).replace('$', '.')
                + (name.equals("<init>") ? "" : "." + name);
        if (verdict == null || verdict == Verdict.REPLACE) {
            return "the call of " + call + " is not modelled";
        }
        return switch (verdict) {
            case BLOCKS -> call + " waits for or wakes other tasks, which is not modelled";
            case OUTSIDE -> call + " uses state outside the program, which is not modelled";
            case UNSEEN -> call + " uses memory or values that are not seen";
            default -> call + " has no effect on the order of tasks: they run in every order";
        };
    }
}
