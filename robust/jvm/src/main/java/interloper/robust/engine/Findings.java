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
        add(reasons, text, place);
    }

    void remark(String text, String place) {
        add(remarks, text, place);
    }

    private static void add(Map<String, String> to, String text, String place) {
        if (to.size() < MAX) {
            to.putIfAbsent(text + " at " + place, "");
        }
    }

    void unmodelled(Site site) {
        if (site.write) {
            reason(site.what, site.place());
        } else {
            remark(site.what, site.place());
        }
    }

    void endless(Task task, Site site) {
        endless = true;
        reason("a task of event " + task.event.name + " did not end within the steps allowed", site.place());
    }

    void tooManyTasks(int most) {
        reason("more than " + most + " tasks were posted in one run", "the driver");
    }

    /** A task that ended with an exception. */
    void crash(Task task, Throwable problem) {
        String place = place(problem);
        if (problem instanceof LinkageError && problem.getCause() instanceof ClassNotFoundException missing) {
            reason("class " + missing.getMessage() + " is not on the class path", place);
        } else if (isOwn(problem)) {
            reason("the exploration itself failed with " + problem, problem.getStackTrace()[0].toString());
        } else if (problem instanceof LinkageError || problem instanceof VirtualMachineError) {
            reason(problem + " ended a task", place);
        } else {
            remark(problem.getClass().getName() + " ended a task; on Android, it would end the app", place);
        }
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
            if (frame.getFileName() != null && !name.startsWith("java.") && !name.startsWith("jdk.")
                    && !name.startsWith("interloper.robust.")) {
                return frame.getFileName() + ":" + frame.getLineNumber();
            }
        }
        return "an unknown place";
    }
}
