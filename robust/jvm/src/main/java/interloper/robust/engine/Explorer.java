package interloper.robust.engine;

import interloper.robust.code.Loader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Explores the runs of a program ({@link Run}) for violations of both criteria. One exploration serves both: a
 * stopped access with a later conflicting one of the same event is a candidate for determinism, one that closes a
 * cycle of events a candidate for serializability. The program that started this one decides whether an
 * interleaving corresponds to a candidate; then it is replayed on threads.
 *
 * <p>The number of stopped tasks in a run is bounded, and the bound is doubled until no stop was left out: most
 * violations need few, and what was explored before the time is over can be stated.
 *
 * <p>Each run repeats the beginning of the one before. A hash at each choice tells if it does not; every
 * {@link #REPEATED}th run is executed twice and compared to its end.
 */
final class Explorer {
    private static final int REPEATED = 32;
    /** The steps of a task after one was found that may be endless: nothing can then hold anyway. */
    private static final int FEW_STEPS = 20_000;

    private final Program program;
    private final Session session;
    private final Loader.Counts counts;
    private final Choices choices = new Choices();
    final Findings findings = new Findings();
    private final Run run = new Run(choices, findings);
    private final long deadline;
    private final boolean wantsSerializability;
    private final Set<Long> orders = new HashSet<>();

    private Kept kept;
    private boolean complete;
    private boolean declared;
    private long runs;
    private long infeasible;
    private long spurious;
    private long longer;
    private long accesses;
    private int boundDone;
    private long lastProgress = System.nanoTime();

    /** Whether the exploration begins again, and whether it ended early. */
    private boolean again;
    private boolean over;

    Explorer(Program program, Session session, Loader.Counts counts, long deadline, boolean serializability) {
        this.program = program;
        this.session = session;
        this.counts = counts;
        this.deadline = deadline;
        this.wantsSerializability = serializability;
    }

    /** Explores every stop, task that is not dispatched, and order. For comparison only. */
    void exploreEverything() {
        choices.everything = true;
    }

    /** Explores, and replays the shortest violation of serializability unless determinism is violated. */
    void explore() throws Program.BadDriver {
        exploreAll();
        if (!over) {
            replayKept();
        }
    }

    private void exploreAll() throws Program.BadDriver {
        for (int bound = choices.everything ? Integer.MAX_VALUE : 1; ; bound = bound > 1 << 20 ? Integer.MAX_VALUE : 2 * bound) {
            if (!exploreUpTo(bound)) {
                return;
            }
            boundDone = bound;
            if (!choices.limited) {
                complete = true;
                return;
            }
        }
    }

    /** Explores the runs with at most {@code bound} stops. Returns false if the exploration is over. */
    private boolean exploreUpTo(int bound) throws Program.BadDriver {
        do {
            again = false;
            choices.clear(bound);
            while (goesOn() && !again && choices.backtrack()) {
                if (System.nanoTime() > deadline) {
                    findings.reason("the time was over before all runs were explored; --seconds allows for more");
                    return false;
                }
                report(bound);
            }
        } while (again);
        return !over;
    }

    /** One run. Returns whether the exploration goes on. */
    private boolean goesOn() throws Program.BadDriver {
        over = !one();
        return !over;
    }

    private void report(int bound) {
        if ((runs & 63) == 0 && System.nanoTime() - lastProgress > 200_000_000L) {
            lastProgress = System.nanoTime();
            session.progress(runs, bound);
        }
    }

    /** One run with what follows from it. Returns false if the exploration is over. */
    private boolean one() throws Program.BadDriver {
        runs++;
        run.tracksOwners = runs <= 2 || program.alwaysFresh;
        try {
            boolean hadPosts = run.hasPosts;
            boolean feasible = execute(null);
            if (needsRestart(hadPosts)) {
                return true;
            }
            long hash = run.hash;
            if (runs <= 2 || runs % REPEATED == 0) {
                execute(null);
                if (run.hash != hash) {
                    throw Signal.DIVERGED;
                }
            }
            orders.add(run.order);
            if (!feasible) {
                infeasible++;
                return true;
            }
            if (wanted().isEmpty()) {
                return true;
            }
            Log log = new Log();
            execute(log);
            if (run.hash != hash) {
                throw Signal.DIVERGED;
            }
            return judge(log);
        } catch (Signal signal) {
            return restartOrGiveUp(signal);
        }
    }

    private boolean execute(Log log) throws Program.BadDriver {
        run.start(log);
        List<Event> events = program.declare(run);
        if (!declared) {
            declared = true;
            session.driver(events);
        }
        boolean feasible = run.run(events);
        program.checkDeclared();
        accesses = Math.max(accesses, run.accesses);
        return feasible;
    }

    /** Whether the way of running must change before anything can be concluded. */
    private boolean needsRestart(boolean hadPosts) {
        if (run.hasPosts && !hadPosts) {
            again = true;
        }
        if (counts.needsFreshLoaders && !program.alwaysFresh) {
            program.alwaysFresh = true;
            again = true;
        } else if (findings.endless && run.maxSteps > FEW_STEPS) {
            run.maxSteps = FEW_STEPS;
            again = true;
        }
        return again;
    }

    private boolean restartOrGiveUp(Signal signal) {
        if (signal != Signal.DIVERGED) {
            throw signal;
        }
        if (!program.alwaysFresh) {
            program.alwaysFresh = true;
            again = true;
            return true;
        }
        String place = run.lastSite == null ? "the driver" : run.lastSite.place();
        findings.reason("two runs with the same choices differ, first", place);
        return false;
    }

    /** The candidates of the last run, one for each pivot and criterion. */
    private List<Run.Hit> wanted() {
        List<Run.Hit> found = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        for (Run.Hit hit : run.violations()) {
            boolean asked = hit.isInversion() || wantsSerializability;
            if (asked && seen.add(List.of(System.identityHashCode(hit.pivot()), hit.isInversion()))) {
                found.add(hit);
            }
        }
        return found;
    }

    private boolean judge(Log log) throws Program.BadDriver {
        for (Run.Hit hit : wanted()) {
            String[] answer = session.candidate(hit.isInversion(), log, hit.pivot());
            switch (answer[0]) {
                case "replay" -> {
                    kept = new Kept(hit, log, answer);
                    if (hit.isInversion()) {
                        replayKept();
                        return false;
                    }
                }
                case "undecided" -> findings.reason(
                        "a run may violate a criterion, but the search for its interleaving was given up",
                        hit.pivot().site().place());
                case "longer" -> longer++;
                default -> spurious++;
            }
        }
        return true;
    }

    /** A violation with its interleaving, which is to be replayed. */
    private record Kept(Run.Hit hit, Log log, String[] answer) {}

    /** Replays the violation that was kept, if there is one. */
    private void replayKept() throws Program.BadDriver {
        if (kept == null) {
            return;
        }
        Run.Hit hit = kept.hit;
        List<String> schedule = new ArrayList<>();
        for (int i = 1; i < kept.answer.length; i++) {
            schedule.add(kept.log.tasks.get(Integer.parseInt(kept.answer[i])).name());
        }
        Replay replay = new Replay(kept.log, schedule, hit.pivot());
        String problem = replay.execute(program);
        if (problem == null && !session.replayed(replay.log, pivotOf(replay.log, hit))) {
            problem = "the threads did not show it";
        }
        if (problem != null) {
            findings.reason("a violation was found, but its replay failed: " + problem, hit.pivot().site().place());
        }
    }

    /** The pivot as it was replayed: the last access. */
    private static Cell.Pivot pivotOf(Log log, Run.Hit hit) {
        Log.Op last = log.ops.get(log.ops.size() - 1);
        return new Cell.Pivot(last.task(), hit.pivot().site(), new Cell(last.cell(), last.key()), 0);
    }

    Map<String, Object> statistics() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("complete", complete);
        values.put("runs", runs);
        values.put("orders", orders.size());
        values.put("infeasible", infeasible);
        values.put("spurious", spurious);
        values.put("longer", longer);
        values.put("choices", choices.made);
        values.put("bound", boundDone);
        values.put("accesses", accesses);
        values.put("classes", counts.classes.get());
        values.put("methods", counts.methods.get());
        values.put("instructions", counts.instructions.get());
        values.put("sites", counts.accesses.get());
        values.put("fresh", program.alwaysFresh);
        return values;
    }
}
