package interloper.robust.engine;

import interloper.robust.code.Site;
import interloper.robust.code.Sites;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The conversation with the program that started this one: one JSON object a line to it, one line of words
 * back. If that program ends, so does this one.
 */
final class Session {
    private final PrintStream out;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();

    Session(InputStream in, PrintStream out) {
        this.out = out;
        Thread reader = new Thread(() -> read(in), "replies");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream in) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                replies.add(line);
            }
        } catch (IOException closed) {
            // The same as its end.
        }
        Runtime.getRuntime().halt(3);
    }

    private synchronized void send(Map<String, Object> message) {
        out.println(Json.of(message));
        out.flush();
    }

    private String[] ask(Map<String, Object> message) {
        send(message);
        return next();
    }

    /** The words of the next line. */
    String[] next() {
        try {
            return replies.take().split(" ");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new String[] {"no"};
        }
    }

    private static Map<String, Object> message(String type) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("type", type);
        return message;
    }

    void driver(List<Event> events) {
        Map<String, Object> message = message("driver");
        List<Object> list = new ArrayList<>();
        for (Event event : events) {
            list.add(Map.of(
                    "name", event.name,
                    "start", event.afterStart.stream().map(other -> other.id).toList(),
                    "end", event.afterEnd.stream().map(other -> other.id).toList()));
        }
        message.put("events", list);
        send(message);
    }

    /**
     * Asks about a run that may violate a criterion. The answer is {@code no}: no interleaving corresponds to
     * it; {@code undecided}; or {@code replay} with the tasks in the order of their operations.
     */
    String[] candidate(boolean inversion, Log log, Cell.Pivot pivot) {
        Map<String, Object> message = message("candidate");
        message.put("criterion", inversion ? "determinism" : "serializability");
        message.put("pivot", List.of(log.number(pivot.task()), pivot.site().id, pivot.cell().number));
        describe(message, log, pivot);
        return ask(message);
    }

    /** Asks whether what was replayed shows the violation. */
    boolean replayed(Log log, Cell.Pivot pivot) {
        Map<String, Object> message = message("replayed");
        describe(message, log, pivot);
        return ask(message)[0].equals("yes");
    }

    private static void describe(Map<String, Object> message, Log log, Cell.Pivot pivot) {
        Map<Integer, Site> sites = new LinkedHashMap<>();
        Map<Integer, String> cells = new LinkedHashMap<>();
        sites.put(pivot.site().id, pivot.site());
        List<Object> ops = new ArrayList<>();
        for (Log.Op op : log.ops) {
            int task = log.number(op.task());
            String kind = op.kind().name().toLowerCase(java.util.Locale.ROOT);
            switch (op.kind()) {
                case ACCESS, ALSO -> {
                    sites.putIfAbsent(op.site().id, op.site());
                    name(cells, op.cell(), op.site(), op.key());
                    ops.add(List.of(task, kind, op.site().id, op.cell()));
                }
                case ACQUIRE, RELEASE -> ops.add(List.of(task, kind, op.cell(), 0));
                case POST -> ops.add(List.of(task, kind, log.number(op.child()), 0));
                default -> ops.add(List.of(task, kind, 0, 0));
            }
        }
        name(cells, pivot.cell().number, pivot.site(), pivot.cell().key);
        List<Object> tasks = new ArrayList<>();
        for (Task task : log.tasks) {
            tasks.add(Map.of("event", task.event.id, "path", path(task), "main", !task.any));
        }
        List<Object> described = new ArrayList<>();
        sites.forEach((id, site) -> described.add(Map.of(
                "id", id, "method", site.method, "file", site.file, "line", site.line, "write", site.write)));
        List<Object> locations = new ArrayList<>();
        cells.forEach((number, name) -> locations.add(List.of(number, name)));
        message.put("tasks", tasks);
        message.put("ops", ops);
        message.put("sites", described);
        message.put("cells", locations);
    }

    private static List<Integer> path(Task task) {
        List<Integer> path = new ArrayList<>();
        for (Task at = task; at.parent != null; at = at.parent) {
            path.add(0, at.number - 1);
        }
        return path;
    }

    /** Names a location by its first access that knows more of it than that a call takes it, or iterates over it. */
    private static void name(Map<Integer, String> cells, int cell, Site site, long key) {
        String name = location(site, key);
        cells.merge(cell, name, (known, other) -> known.equals(Site.ARGUMENT) || known.equals("Iterator") ? other : known);
    }

    /** The name of a location, without the object that it belongs to. */
    private static String location(Site site, long key) {
        String field = Sites.name(key);
        if (field != null) {
            return field;
        }
        return site.what.endsWith("[]") ? site.what.replace("[]", "[" + (key >>> 32) + "]") : site.what;
    }

    void progress(long runs, int bound) {
        Map<String, Object> message = message("progress");
        message.put("runs", runs);
        message.put("bound", bound);
        send(message);
    }

    void fail(String text) {
        Map<String, Object> message = message("failed");
        message.put("message", text);
        send(message);
    }

    /** The end of the exploration. */
    void done(Map<String, Object> statistics, Findings findings) {
        Map<String, Object> message = message("done");
        message.put("statistics", statistics);
        message.put("reasons", List.copyOf(findings.reasons.keySet()));
        message.put("remarks", List.copyOf(findings.remarks.keySet()));
        send(message);
    }
}
