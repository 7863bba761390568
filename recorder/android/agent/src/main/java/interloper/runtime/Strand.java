package interloper.runtime;

import interloper.ilt.Sync;
import interloper.ilt.Table;
import interloper.ilt.Writer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A thread of the trace: a thread of the program, or the imagined thread of a serial executor.
 *
 * <p>At most one thread of the program uses a strand at a time. What is written to the file is
 * guarded by the recording's lock.
 *
 * <p><b>Accesses.</b> An access is recorded once per location, kind and epoch. Every operation that
 * can order others starts an epoch, so within one all accesses of a location have the same order to
 * everything else, and the first stands for all of them.
 *
 * <p><b>Stacks.</b> Instrumented functions push and pop frames here. The file gets enters and
 * leaves only before a row that needs the stack.
 *
 * <p><b>Nested dispatch.</b> A test whose thread is the main thread dispatches messages inside
 * {@code idle()}, so an event begins while another is open. The trace has no nested events: the
 * outer one ends there, and goes on as another event when it does something again. Two handles
 * order what the outer one did before the inner one, and the inner one before what the outer one
 * does next. They do not order two inner events.
 */
final class Strand {
  private static final int CACHE = 1 << 10;
  private static final int DEEPEST = 64;
  private static final int NEAR = 32;

  final Recording recording;
  final int id;
  final String name;

  /** The line of the last call of an accessor. */
  int callLine;

  /** The message that is being sent with a delay, and the delay. */
  Object delayed;

  long delay;

  private boolean isStarted;
  private boolean hasExited;

  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final ArrayDeque<Boolean> dispatches = new ArrayDeque<>();
  private final List<Nest> nests = new ArrayList<>(1);

  /**
   * The objects accessed last. They are forgotten when an event ends, so that none is kept alive.
   */
  private final Object[] near = new Object[NEAR];

  private final Named[] nearNamed = new Named[NEAR];

  private final int[] seen = new int[CACHE];
  private final int[] seenEpoch = new int[CACHE];
  private int epoch = 1;

  private int[] frames = new int[32];
  private int depth;
  private int base;
  private int entered;
  private int left;
  private int[] stacks = new int[32];

  private final List<Named> held = new ArrayList<>(2);

  /** An open event. The lowest frame of its stack is {@code base}. */
  private static final class Event {
    final Post post;
    final int base;
    int parts = 1;
    int message;
    boolean isSuspended;

    Event(Post post, int base) {
      this.post = post;
      this.base = base;
      this.message = post.message();
    }
  }

  /** The handles between the events of one level of nesting and those of the next. */
  private record Nest(int before, int after) {}

  Strand(Recording recording, int id, String name) {
    this.recording = recording;
    this.id = id;
    this.name = name;
  }

  private Writer writer() {
    return recording.writer;
  }

  /**
   * Writes what must stand before the next operation of the thread: its start, and the next part of
   * an event that an inner event has interrupted.
   */
  void start() {
    if (!isStarted) {
      isStarted = true;
      writer().sync(Sync.INIT, id);
    }
    Event event = events.peek();
    if (event != null && event.isSuspended) {
      resume(event);
    }
  }

  /** Writes that the thread ends. */
  void exit() {
    start();
    if (!hasExited) {
      hasExited = true;
      while (!events.isEmpty()) {
        end();
      }
      writer().sync(Sync.EXIT, id);
    }
  }

  boolean hasExited() {
    return hasExited;
  }

  /** Starts an epoch: an operation that can order others stands here. */
  void synchronise() {
    epoch++;
    delayed = null;
  }

  // Events.

  boolean isInEvent() {
    return !events.isEmpty();
  }

  void begin(Post post) {
    Event outer = events.peek();
    if (outer == null) {
      start();
    } else if (!outer.isSuspended) {
      suspend(outer);
    }
    Event event = new Event(post, depth);
    events.push(event);
    write(event, true);
    if (outer != null) {
      writer().sync(Sync.WAIT, id, nest().before);
    }
    synchronise();
  }

  /** Ends the innermost event. */
  void end() {
    Event event = events.peek();
    if (event == null) {
      return;
    }
    depth = Math.min(depth, event.base);
    if (events.size() > 1) {
      start();
      writer().sync(Sync.NOTIFY, id, nest().after);
    }
    events.pop();
    if (!event.isSuspended) {
      write(event, false);
    }
    Arrays.fill(near, null);
    synchronise();
  }

  /** Notes that a Looper dispatches a message, which is an event or one of Robolectric's own. */
  void beginDispatch(boolean isEvent) {
    dispatches.push(isEvent);
  }

  /** Notes that the innermost dispatch is over. Returns whether it was an event. */
  boolean endDispatch() {
    Boolean isEvent = dispatches.poll();
    return isEvent != null && isEvent;
  }

  private void suspend(Event outer) {
    int level = events.size();
    if (nests.size() < level) {
      String suffix = level == 1 ? "" : "#" + level;
      int before = writer().add(Table.HANDLE, name + ".before-idle" + suffix);
      int after = writer().add(Table.HANDLE, name + ".after-idle" + suffix);
      nests.add(new Nest(before, after));
    }
    writer().sync(Sync.NOTIFY, id, nests.get(level - 1).before);
    write(outer, false);
    outer.isSuspended = true;
  }

  /** Returns the handles of the innermost event and the one that it interrupts. */
  private Nest nest() {
    return nests.get(events.size() - 2);
  }

  /** Begins the next part of an event, when its code does something again. */
  private void resume(Event outer) {
    outer.isSuspended = false;
    outer.parts++;
    outer.message = recording.message(outer.post.label() + "+" + outer.parts);
    write(outer, true);
    writer().sync(Sync.WAIT, id, nests.get(events.size() - 1).after);
    synchronise();
  }

  private void write(Event event, boolean begins) {
    leaveAll();
    if (begins) {
      Writer writer = writer();
      writer.begin(
          id, event.message, writer.text(event.post.type()), writer.text(event.post.label()));
      base = event.base;
    } else {
      writer().sync(Sync.END, id, event.message);
      Event outer = events.peek();
      base = outer == null ? 0 : outer.base;
    }
    entered = base;
  }

  private void leaveAll() {
    left += entered - base;
    entered = base;
    writeLeaves();
  }

  // Frames.

  void enter(int function) {
    if (depth == frames.length) {
      frames = Arrays.copyOf(frames, 2 * depth);
      stacks = Arrays.copyOf(stacks, 2 * depth);
    }
    frames[depth++] = function;
  }

  /** Takes a function off the stack, with all that stands above it because of an exception. */
  void leave(int function) {
    for (int at = depth - 1; at >= 0; at--) {
      if (frames[at] == function) {
        depth = at;
        if (entered > depth && depth >= base) {
          left += entered - depth;
          entered = depth;
        }
        return;
      }
    }
  }

  /** Brings the stack in the file up to date. */
  void writeStack() {
    start();
    writeLeaves();
    int top = Math.min(depth, base + DEEPEST);
    for (; entered < top; entered++) {
      int parent = entered == base ? -1 : stacks[entered - 1];
      stacks[entered] = recording.stack(parent, frames[entered]);
      writer().enter(id, stacks[entered]);
    }
  }

  private void writeLeaves() {
    for (; left > 0; left--) {
      writer().leave(id);
    }
  }

  // Accesses.

  /** Returns what is known about an object. The last objects are found without the table. */
  Named named(Object object) {
    int at = System.identityHashCode(object) & (NEAR - 1);
    if (near[at] != object) {
      near[at] = object;
      nearNamed[at] = recording.objects.of(object);
    }
    return nearNamed[at];
  }

  /** Returns whether an access is the first of its location and kind in this epoch. */
  boolean isFirst(int location, boolean isWrite) {
    int key = 2 * location + (isWrite ? 1 : 0);
    int at = (key * 0x9E3779B9) >>> 22;
    if (seen[at] == key && seenEpoch[at] == epoch) {
      return false;
    }
    seen[at] = key;
    seenEpoch[at] = epoch;
    return true;
  }

  // Locks.

  void took(Named lock) {
    held.add(lock);
  }

  /** Notes that a lock is released. Returns false if the trace does not know that it was taken. */
  boolean released(Named lock) {
    for (int i = held.size() - 1; i >= 0; i--) {
      if (held.get(i) == lock) {
        held.remove(i);
        return true;
      }
    }
    return false;
  }

  /** Notes that the lock that was taken last is released, and returns it, or null. */
  Named releasedLast() {
    return held.isEmpty() ? null : held.remove(held.size() - 1);
  }
}
