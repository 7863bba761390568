package interloper.robust.engine;

import interloper.robust.code.ClassPath;
import interloper.robust.code.Loader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The child process of {@code interloper robust --jvm}. Its arguments are the class path, the driver, the
 * seconds, the criteria ({@code both}, {@code det} or {@code ser}), and prefixes of classes to instrument. If the
 * driver is {@code -}, lines name the drivers one after the other, with {@code reduced} or {@code everything}
 * before: that is how tests compare many programs.
 */
public final class Main {
    private static final long GRACE_NANOS = 5_000_000_000L;

    private Main() {}

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        Session session = new Session(System.in, out);
        // What the application prints, it prints in each run.
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        System.setErr(System.out);
        System.setIn(InputStream.nullInputStream());
        long deadline = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000_000L;
        List<String> included = new ArrayList<>(List.of(arguments).subList(4, arguments.length));
        ClassPath classPath;
        try {
            classPath = new ClassPath(arguments[0]);
        } catch (IOException failure) {
            session.fail(failure.getMessage());
            return;
        }
        Loader.Counts counts = new Loader.Counts();
        boolean serializability = !arguments[3].equals("det");
        Function<String, Explorer> explorers = driver -> {
            Program program = new Program(() -> new Loader(classPath, included, counts), driver);
            return new Explorer(program, session, counts, deadline, serializability);
        };
        Explorer first = arguments[1].equals("-") ? null : explorers.apply(arguments[1]);
        // Depth-first execution nests tasks, and applications recurse. A larger stack would make endless recursion slow.
        Thread worker = new Thread(null, () -> {
            if (first != null) {
                explore(first, session);
                Runtime.getRuntime().halt(0);
            }
            while (true) {
                String[] words = session.next();
                Explorer explorer = explorers.apply(words[1]);
                if (words[0].equals("everything")) {
                    explorer.exploreEverything();
                }
                explore(explorer, session);
            }
        }, "exploration", 16L << 20);
        worker.setDaemon(true);
        worker.start();
        watch(worker, deadline, first, session);
    }

    private static void explore(Explorer explorer, Session session) {
        try {
            explorer.explore();
            session.done(explorer.statistics(), explorer.findings);
        } catch (Program.BadDriver failure) {
            session.fail(failure.getMessage());
        } catch (OutOfMemoryError failure) {
            session.fail("the exploration ran out of memory; give the driver less data");
        }
    }

    /** Ends a run that does not come back, for example from a call that blocks. */
    private static void watch(Thread worker, long deadline, Explorer explorer, Session session) {
        while (worker.isAlive()) {
            try {
                worker.join(200);
            } catch (InterruptedException interrupted) {
                return;
            }
            if (System.nanoTime() > deadline + GRACE_NANOS) {
                Throwable at = new Throwable();
                at.setStackTrace(worker.getStackTrace());
                if (explorer == null) {
                    Runtime.getRuntime().halt(3);
                }
                explorer.findings.reason("a run did not end", Findings.place(at));
                session.done(explorer.statistics(), explorer.findings);
                Runtime.getRuntime().halt(0);
            }
        }
    }
}
