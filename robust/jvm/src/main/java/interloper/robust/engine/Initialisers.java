package interloper.robust.engine;

import interloper.robust.code.Site;
import interloper.robust.code.Sites;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The static initialisers of a run. They are no part of any task: an initialiser that a task causes runs before all
 * tasks from the next run on. That makes no difference if it accesses only what belongs to its class: the static
 * fields of the class, and objects that the initialiser creates, which others reach through the class only. If it
 * accesses anything else that a task accesses, too, and the accesses conflict, nothing can be concluded.
 *
 * <p>Where objects were created is noted only if the run {@link #start tracks} it; otherwise only static fields and
 * what a task accessed before are compared.
 */
final class Initialisers {
    private static final String WORDS = "a static initialiser accesses what a task accesses, too, which is not modelled,";

    /** The classes whose initialisers run, the innermost last. */
    private final List<String> running = new ArrayList<>();
    private Map<Object, String> owners;
    /** What initialisers that tasks caused accessed outside their classes. */
    private final Cells foreign = new Cells();
    private boolean hasForeign;

    void start(boolean tracksOwners) {
        running.clear();
        owners = tracksOwners ? new IdentityHashMap<>() : null;
        foreign.clear();
        hasForeign = false;
    }

    void begin(String type) {
        running.add(type);
    }

    void end() {
        running.remove(running.size() - 1);
    }

    boolean isRunning() {
        return !running.isEmpty();
    }

    private String innermost() {
        return running.isEmpty() ? "" : running.get(running.size() - 1);
    }

    /** Notes in which initialiser an object was created, if in any. */
    void created(Object object) {
        if (owners != null) {
            owners.put(object, innermost());
        }
    }

    /** Accesses of an initialiser that a task caused. */
    void access(Locations all, Cells ofTasks, Findings findings) {
        for (int i = 0; i < all.count; i++) {
            Site site = all.sites[i];
            Cell shared = ofTasks.find(all.objects[i], all.keys[i]);
            if (shared != null && shared.isShared(site.write)) {
                findings.reason(WORDS, site.place());
            }
            if (!isOwn(all.objects[i], all.keys[i])) {
                foreign.get(all.objects[i], all.keys[i]).add(new Cell.Access(null, site.write, -1, 0));
                hasForeign = true;
            }
        }
    }

    private boolean isOwn(Object object, long key) {
        if (object == null) {
            return innermost().equals(Sites.owner(key));
        }
        return owners == null || innermost().equals(owners.getOrDefault(object, innermost()));
    }

    /** Compares accesses of a task with those of initialisers before. */
    void compare(Locations all, Findings findings) {
        for (int i = 0; hasForeign && i < all.count; i++) {
            Cell cell = foreign.find(all.objects[i], all.keys[i]);
            if (cell != null && cell.isShared(all.sites[i].write)) {
                findings.reason(WORDS, all.sites[i].place());
            }
        }
    }
}
