package interloper.agent;

import java.util.Set;

/**
 * What calls of the class library and the framework do to the object that they are made on.
 *
 * <p>The tables are read by class and name of a method. A method that is in none of them has no
 * effect: an immutable object, or one whose contents nobody shares.
 */
final class Effects {
  static final String PREFERENCES = "android/content/SharedPreferences";

  private static final Set<String> COLLECTIONS =
      Set.of(
          "java/util/Collection",
          "java/util/List",
          "java/util/ArrayList",
          "java/util/LinkedList",
          "java/util/Vector",
          "java/util/Stack",
          "java/util/Set",
          "java/util/HashSet",
          "java/util/LinkedHashSet",
          "java/util/TreeSet",
          "java/util/SortedSet",
          "java/util/NavigableSet",
          "java/util/Queue",
          "java/util/Deque",
          "java/util/ArrayDeque",
          "java/util/PriorityQueue",
          "java/util/BitSet",
          "java/util/EnumSet",
          "java/util/concurrent/CopyOnWriteArrayList",
          "java/util/concurrent/CopyOnWriteArraySet",
          "java/util/concurrent/ConcurrentSkipListSet",
          "android/util/ArraySet");
  private static final Set<String> MAPS =
      Set.of(
          "java/util/Map",
          "java/util/HashMap",
          "java/util/LinkedHashMap",
          "java/util/TreeMap",
          "java/util/SortedMap",
          "java/util/NavigableMap",
          "java/util/Hashtable",
          "java/util/WeakHashMap",
          "java/util/IdentityHashMap",
          "java/util/EnumMap",
          "java/util/concurrent/ConcurrentMap",
          "java/util/concurrent/ConcurrentHashMap",
          "java/util/concurrent/ConcurrentSkipListMap",
          "android/util/ArrayMap",
          "android/util/LruCache",
          "android/util/SparseArray",
          "android/util/SparseIntArray",
          "android/util/SparseBooleanArray",
          "android/util/SparseLongArray",
          "android/util/LongSparseArray",
          "android/os/Bundle",
          "android/content/ContentValues");
  private static final Set<String> HAND_OFFS =
      Set.of(
          "java/util/concurrent/BlockingQueue",
          "java/util/concurrent/BlockingDeque",
          "java/util/concurrent/LinkedBlockingQueue",
          "java/util/concurrent/ArrayBlockingQueue",
          "java/util/concurrent/LinkedBlockingDeque",
          "java/util/concurrent/PriorityBlockingQueue",
          "java/util/concurrent/SynchronousQueue",
          "java/util/concurrent/DelayQueue",
          "java/util/concurrent/LinkedTransferQueue",
          "java/util/concurrent/TransferQueue",
          "java/util/concurrent/ConcurrentLinkedQueue",
          "java/util/concurrent/ConcurrentLinkedDeque");
  private static final Set<String> PUTS =
      Set.of(
          "add",
          "addFirst",
          "addLast",
          "offer",
          "offerFirst",
          "offerLast",
          "push",
          "put",
          "putFirst",
          "putLast",
          "transfer",
          "tryTransfer");
  private static final Set<String> TAKES =
      Set.of(
          "element",
          "peek",
          "peekFirst",
          "peekLast",
          "poll",
          "pollFirst",
          "pollLast",
          "pop",
          "remove",
          "removeFirst",
          "removeLast",
          "take",
          "takeFirst",
          "takeLast");
  private static final Set<String> WRITES =
      Set.of(
          "add",
          "addAll",
          "addElement",
          "addFirst",
          "addLast",
          "append",
          "clear",
          "compute",
          "computeIfAbsent",
          "computeIfPresent",
          "delete",
          "evictAll",
          "flip",
          "insertElementAt",
          "merge",
          "offer",
          "offerFirst",
          "offerLast",
          "poll",
          "pollFirst",
          "pollFirstEntry",
          "pollLast",
          "pollLastEntry",
          "pop",
          "push",
          "put",
          "putAll",
          "putBoolean",
          "putIfAbsent",
          "putInt",
          "putLong",
          "putParcelable",
          "putSerializable",
          "putString",
          "remove",
          "removeAll",
          "removeAllElements",
          "removeAt",
          "removeElement",
          "removeElementAt",
          "removeFirst",
          "removeIf",
          "removeLast",
          "replace",
          "replaceAll",
          "retainAll",
          "set",
          "setElementAt",
          "setSize",
          "setValueAt",
          "sort");
  private static final Set<String> READS =
      Set.of(
          "cardinality",
          "ceiling",
          "ceilingEntry",
          "ceilingKey",
          "contains",
          "containsAll",
          "containsKey",
          "containsValue",
          "descendingIterator",
          "element",
          "elementAt",
          "elements",
          "entrySet",
          "first",
          "firstElement",
          "firstEntry",
          "firstKey",
          "floor",
          "floorEntry",
          "floorKey",
          "forEach",
          "get",
          "getAsInteger",
          "getAsLong",
          "getAsString",
          "getBoolean",
          "getFirst",
          "getInt",
          "getLast",
          "getLong",
          "getOrDefault",
          "getParcelable",
          "getSerializable",
          "getString",
          "headMap",
          "headSet",
          "higher",
          "higherEntry",
          "higherKey",
          "indexOf",
          "indexOfKey",
          "indexOfValue",
          "isEmpty",
          "iterator",
          "keyAt",
          "keySet",
          "keys",
          "last",
          "lastElement",
          "lastEntry",
          "lastIndexOf",
          "lastKey",
          "listIterator",
          "lower",
          "lowerEntry",
          "lowerKey",
          "parallelStream",
          "peek",
          "peekFirst",
          "peekLast",
          "search",
          "size",
          "stream",
          "subList",
          "subMap",
          "subSet",
          "tailMap",
          "tailSet",
          "toArray",
          "valueAt",
          "values");
  private static final Set<String> KEYED =
      Set.of(
          "compute",
          "computeIfAbsent",
          "computeIfPresent",
          "containsKey",
          "get",
          "getOrDefault",
          "getAsInteger",
          "getAsLong",
          "getAsString",
          "getBoolean",
          "getInt",
          "getLong",
          "getParcelable",
          "getSerializable",
          "getString",
          "merge",
          "put",
          "putBoolean",
          "putIfAbsent",
          "putInt",
          "putLong",
          "putParcelable",
          "putSerializable",
          "putString",
          "remove",
          "replace");

  private static final Set<String> STORES =
      Set.of(PREFERENCES, PREFERENCES + "$Editor", "android/database/sqlite/SQLiteDatabase");
  private static final Set<String> STORED =
      Set.of(
          "clear",
          "delete",
          "insert",
          "insertOrThrow",
          "insertWithOnConflict",
          "putBoolean",
          "putFloat",
          "putInt",
          "putLong",
          "putString",
          "putStringSet",
          "remove",
          "replace",
          "replaceOrThrow",
          "update",
          "updateWithOnConflict");
  private static final Set<String> LOADED =
      Set.of(
          "contains",
          "getAll",
          "getBoolean",
          "getFloat",
          "getInt",
          "getLong",
          "getString",
          "getStringSet",
          "query");

  private Effects() {}

  /**
   * What a call does.
   *
   * @param isKeyed whether its first argument is the key that it concerns
   * @param isStored whether the object has keys only: preferences, or the tables of a database
   * @param family the class that stands for all like it in the name of the function
   */
  record Effect(boolean isWrite, boolean isKeyed, boolean isStored, String family) {}

  /** Returns the effect of a method, or null. */
  static Effect of(String owner, String name) {
    if (STORES.contains(owner)) {
      boolean isKeyed = !name.equals("clear") && !name.equals("getAll");
      String family = owner.startsWith(PREFERENCES) ? "SharedPreferences" : "SQLiteDatabase";
      return effect(STORED.contains(name), LOADED.contains(name), isKeyed, true, family);
    }
    boolean isMap = MAPS.contains(owner);
    if (!isMap && !COLLECTIONS.contains(owner)) {
      return null;
    }
    boolean isKeyed = isMap && KEYED.contains(name);
    return effect(WRITES.contains(name), READS.contains(name), isKeyed, false, family(owner));
  }

  private static Effect effect(
      boolean isWrite, boolean isRead, boolean isKeyed, boolean isStored, String family) {
    return isWrite || isRead ? new Effect(isWrite, isKeyed, isStored, family) : null;
  }

  /** Lists of what commutes name the usual class, whatever the type of a variable is. */
  private static String family(String owner) {
    if (owner.contains("Sparse")) {
      return "SparseArray";
    }
    if (MAPS.contains(owner)) {
      return "HashMap";
    }
    return owner.endsWith("Set") ? "HashSet" : "ArrayList";
  }

  /** Returns whether a class passes elements between threads. */
  static boolean isHandOff(String owner) {
    return HAND_OFFS.contains(owner);
  }

  static boolean isPut(String name) {
    return PUTS.contains(name);
  }

  static boolean isTake(String name) {
    return TAKES.contains(name);
  }
}
