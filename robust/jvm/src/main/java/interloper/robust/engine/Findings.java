package interloper.robust.engine;

import interloper.robust.code.Site;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the runs met besides accesses: reasons why nothing can be concluded from the absence of violations,
 * and remarks that a reader of the verdict should know. Each is kept once, with its place.
 */
final class Findings {
    private static final int MAX = 100;

    /** Reasons for the verdict "unknown". */
    final Map<String, String> reasons = new LinkedHashMap<>();
    /** Remarks. */
    final Map<String, String> remarks = new LinkedHashMap<>();
    /** Whether a task exceeded its steps. */
    boolean endless;

    void reason(String text, String place) {
        reason(text + " at " + place);
    }

    void reason(String text) {
        add(reasons, text);
    }

    void remark(String text, String place) {
        add(remarks, text + " at " + place);
    }

    private synchronized void add(Map<String, String> to, String text) {
        if (to.size() < MAX) {
            to.putIfAbsent(text, "");
        }
    }

    void endless(Task task, Site site) {
        endless = true;
        reason("a task of event " + task.event.name + " did not end within the steps allowed", site.place());
    }

    /** Code ran on a thread that the library started. */
    void foreign(Site site) {
        reason("code runs on a thread that is not modelled", site == null ? "an unknown place" : site.place());
    }

    void tooManyTasks(int most) {
        reason("more than " + most + " tasks were posted in one run");
    }

    /** A task that ended with an exception. */
    void crash(Task task, Throwable problem) {
        String place = place(problem);
        if (problem instanceof LinkageError failure && failure.getCause() instanceof ClassNotFoundException) {
            reason(missing(failure), place);
        } else if (isOwn(problem)) {
            reason("the exploration itself failed with " + problem, problem.getStackTrace()[0].toString());
        } else if (problem instanceof LinkageError || problem instanceof VirtualMachineError) {
            reason(problem + " ended a task", place);
        } else {
            remark(problem.getClass().getName() + " ended a task; on Android, it would end the app", place);
        }
    }

    /** The words for a failure to load a class. */
    static String missing(LinkageError failure) {
        return failure.getCause() instanceof ClassNotFoundException missing
                ? "class " + missing.getMessage() + " is not on the class path" : failure.toString();
    }

    /** Whether a problem arose in the code of the exploration. */
    private static boolean isOwn(Throwable problem) {
        StackTraceElement[] frames = problem.getStackTrace();
        boolean isMisuse = problem instanceof IllegalStateException || problem instanceof NullPointerException;
        return !isMisuse && frames.length > 0 && frames[0].getClassName().startsWith("interloper.robust.engine.")
                && !frames[0].getClassName().endsWith(".Substitutes");
    }

    /** The innermost place of the application on the stack. */
    static String place(Throwable problem) {
        for (StackTraceElement frame : problem.getStackTrace()) {
            String name = frame.getClassName();
            // The methods that the instrumentation adds have no lines.
            if (frame.getFileName() != null && frame.getLineNumber() > 0 && !name.startsWith("java.") && !name.startsWith("jdk.")
                    && !name.startsWith("interloper.robust.")) {
                return frame.getFileName() + ":" + frame.getLineNumber();
            }
        }
        return "an unknown place";
    }
}
