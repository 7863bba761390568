package interloper.robust.code;

import interloper.robust.engine.Substitutes;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Type;

/** Which library methods have a substitute, and what a report says about it. */
final class Substituted {
    private static final Set<String> methods = new HashSet<>();
    private static final String TIME = "the time is the same in each run";
    private static final Map<String, String> REMARKS = Map.of(
            "sleep", "Thread.sleep takes no time: tasks run in every order",
            "currentTimeMillis", TIME,
            "nanoTime", TIME,
            "now", TIME,
            "random", "random numbers are the same in each run",
            "randomUUID", "random numbers are the same in each run",
            "exit", "System.exit only stops its task",
            "halt", "Runtime.halt only stops its task",
            "identityHashCode", "identity hash codes are the same in each run",
            "schedule", "a scheduled task runs once, at any time, on a thread of its own");

    static {
        for (Method method : Substitutes.class.getDeclaredMethods()) {
            methods.add(method.getName() + Type.getMethodDescriptor(method));
        }
    }

    private Substituted() {}

    static boolean has(String name, String descriptor) {
        return methods.contains(name + descriptor);
    }

    static String remark(String name) {
        return REMARKS.get(name);
    }
}
