package interloper.robust.code;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All sites of the instrumented classes, by number. Classes are instrumented when they are loaded. */
public final class Sites {
    /** The number of the field that stands for the contents of an object of the library. */
    public static final int CONTENTS = 0;
    /** The number of the field that stands for elements of arrays; elements are told apart by their index. */
    public static final int ELEMENTS = 1;
    /** The number of the field that stands for the monitor of an object. */
    public static final int MONITOR = 2;

    private static Site[] all = new Site[256];
    private static int count;
    private static final Map<String, Integer> fields = new HashMap<>();
    private static final List<String> names = new ArrayList<>();
    private static final List<String> owners = new ArrayList<>();

    static {
        fields.put("contents", CONTENTS);
        fields.put("elements", ELEMENTS);
        fields.put("monitor", MONITOR);
    }

    private Sites() {}

    /** Adds a site. */
    static Site add(String method, String file, int line, String what, int field, boolean write) {
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        Site site = new Site(count, method, file, line, what, field, write);
        all[count++] = site;
        return site;
    }

    /** The number of a declared field. */
    public static int field(String owner, String name) {
        return fields.computeIfAbsent(owner + "." + name, key -> {
            names.add(Instrumenter.simple(owner) + "." + name);
            owners.add(owner);
            return fields.size();
        });
    }

    /** The name of a declared field, or null for another number. */
    public static String name(long field) {
        int at = (int) field - MONITOR - 1;
        return field >>> 32 == 0 && at >= 0 ? names.get(at) : null;
    }

    /** The class that declares a field, or null for another number. */
    public static String owner(long field) {
        return name(field) == null ? null : owners.get((int) field - MONITOR - 1);
    }

    public static Site get(int id) {
        return all[id];
    }
}
