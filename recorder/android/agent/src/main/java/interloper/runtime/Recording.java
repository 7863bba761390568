package interloper.runtime;

import interloper.ilt.Posting;
import interloper.ilt.Sync;
import interloper.ilt.Table;
import interloper.ilt.Writer;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A trace that is being recorded.
 *
 * <p>Hooks run on the threads of the program. Whatever reaches the file does so under this object's
 * lock, in the order of the calls: a release is written before it takes effect and an acquire after
 * it, so the order of the file agrees with happens-before. No code of the program runs under the
 * lock.
 *
 * <p>The file is flushed when an event ends, at most every {@link #PAUSE} nanoseconds, and by
 * {@link Recorder} a few times a second.
 */
final class Recording {
  private static final long PAUSE = 20_000_000;
  private static final long LIMIT = limit();
  private static final int USER = 0;
  private static final int FRAMEWORK = 1;

  final Writer writer;
  final Objects objects = new Objects();

  private final Path path;
  private final Map<String, Integer> threadNames = new HashMap<>();
  private final Map<String, Integer> instances = new HashMap<>();
  private final Map<String, Integer> states = new HashMap<>();
  private final Map<String, Integer> barriers = new HashMap<>();
  private final IntMap statics = new IntMap();
  private int[] sources = new int[0];
  private int[] functions = new int[0];
  private int messages;
  private int system = -1;
  private long flushed;
  private boolean isClosed;
  private boolean isFull;

  /**
   * Returns the size at which a file is closed, so that an endless program does not fill a disk.
   */
  private static long limit() {
    String megabytes = System.getenv("INTERLOPER_ANDROID_LIMIT");
    return (megabytes == null ? 1024 : Long.parseLong(megabytes)) << 20;
  }

  Recording(Path path) throws IOException {
    this.path = path;
    writer = new Writer(new FileOutputStream(path.toFile()), "android");
    flushed = System.nanoTime();
  }

  // The life of a file.

  synchronized boolean isClosed() {
    return isClosed;
  }

  synchronized void flush() {
    if (!isClosed) {
      writer.flush();
      flushed = System.nanoTime();
      if (writer.size() > LIMIT) {
        isFull = true;
        close();
      }
    }
  }

  /** Returns whether the file was closed because of its size. */
  synchronized boolean isFull() {
    return isFull;
  }

  void flushNowAndThen() {
    if (System.nanoTime() - flushed > PAUSE) {
      flush();
    }
  }

  synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      writer.close();
    } catch (IOException error) {
      System.err.println("interloper: cannot write " + path + ": " + error.getMessage());
    }
  }

  // Names. The caller holds the lock.

  int message(String label) {
    return writer.add(Table.MESSAGE, "m" + ++messages + "." + label);
  }

  Strand strand(String name) {
    int count = threadNames.merge(name, 1, Integer::sum);
    String unique = count == 1 ? name : name + "#" + count;
    int id = writer.add(Table.THREAD, unique);
    if (name.startsWith(SystemProcess.PREFIX)) {
      if (system < 0) {
        system = writer.add(Table.PROCESS, "system");
      }
      writer.process(id, system);
    }
    return new Strand(this, id, unique);
  }

  /** Returns the strand of a thread of the program. */
  synchronized Strand strand(Thread thread) {
    Named named = objects.of(thread);
    if (named.strand == null) {
      named.strand = strand(thread.getName());
    }
    return named.strand;
  }

  /** Returns the strand of a thread, and calls it main if it is new. */
  synchronized Strand main(Thread thread) {
    Named named = objects.of(thread);
    if (named.strand == null) {
      named.strand = strand("main");
    }
    return named.strand;
  }

  /** Returns the id of a barrier of a queue, or -1 if it is unknown and not new. */
  int barrier(Object queue, int token, boolean isNew) {
    String name = "barrier" + token + "." + name(objects.of(queue), queue);
    return isNew ? newBarrier(name) : barriers.getOrDefault(name, -1);
  }

  private int newBarrier(String name) {
    String unique = barriers.containsKey(name) ? name + "+" + ++messages : name;
    int id = writer.add(Table.BARRIER, unique);
    barriers.put(name, id);
    return id;
  }

  String name(Named named, Object object) {
    if (named.name == null) {
      String label =
          object instanceof Class<?> c ? "class " + Labels.of(c) : Labels.of(object.getClass());
      named.name = label + "@" + instances.merge(label, 1, Integer::sum);
    }
    return named.name;
  }

  int stack(int parent, int function) {
    Sites.Function site = Sites.function(function);
    if (function >= functions.length) {
      int known = functions.length;
      functions = Arrays.copyOf(functions, Math.max(2 * known, function + 64));
      Arrays.fill(functions, known, functions.length, -1);
    }
    if (functions[function] < 0) {
      functions[function] = writer.function(site.name());
    }
    int source = site.line() == 0 ? -1 : source(site.line());
    return writer.stack(parent, functions[function], source, site.isUser() ? 1 : 2);
  }

  private int source(int line) {
    if (line >= sources.length) {
      int known = sources.length;
      sources = Arrays.copyOf(sources, Math.max(2 * known, line + 256));
      Arrays.fill(sources, known, sources.length, -1);
    }
    if (sources[line] < 0) {
      Sites.Line site = Sites.line(line);
      sources[line] = writer.source(site.file(), site.number());
    }
    return sources[line];
  }

  // Locations.

  /** Returns the location of a field of an object. */
  int field(Strand strand, Object object, int field) {
    Named named = strand.named(object);
    synchronized (named) {
      int known = named.location(field);
      if (known == IntMap.ABSENT) {
        Sites.Field site = Sites.field(field);
        known = location(named, object, "." + site.name(), site.isUser());
        named.locations.put(field, known);
      }
      return known;
    }
  }

  /** Returns the location of an element of an array. */
  int element(Strand strand, Object array, int index) {
    Named named = strand.named(array);
    synchronized (named) {
      int known = named.location(index);
      if (known == IntMap.ABSENT) {
        known = location(named, array, "[" + index + "]", true);
        named.locations.put(index, known);
      }
      return known;
    }
  }

  /** Returns the location of a static field. */
  int field(int field) {
    synchronized (statics) {
      int known = statics.get(field);
      if (known == IntMap.ABSENT) {
        Sites.Field site = Sites.field(field);
        known = state(site.owner() + "." + site.name(), site.isUser() ? USER : FRAMEWORK);
        statics.put(field, known);
      }
      return known;
    }
  }

  /** Returns the location of a part of an object that has a name, such as a key of a map. */
  int part(Strand strand, Object object, String part) {
    Named named = strand.named(object);
    Named whole = named.whole == null ? named : named.whole;
    synchronized (whole) {
      Integer known = whole.parts().get(part);
      if (known == null) {
        known = location(whole, object, part, true);
        whole.parts().put(part, known);
      }
      return known;
    }
  }

  /** Returns the location of a piece of state that has a name of its own. */
  synchronized int state(String name, int kind) {
    Integer known = states.get(name);
    if (known == null) {
      known = writer.add(Table.LOCATION, name);
      writer.kind(known, kind);
      states.put(name, known);
    }
    return known;
  }

  private synchronized int location(Named named, Object object, String part, boolean isUser) {
    int location = writer.add(Table.LOCATION, name(named, object) + part);
    writer.kind(location, isUser ? USER : FRAMEWORK);
    return location;
  }

  /** Writes an access, unless the strand made it before in this epoch. */
  void access(Strand strand, int location, boolean isWrite, String value, int line) {
    if (!strand.isFirst(location, isWrite)) {
      return;
    }
    int at = line == Sites.CALLER ? strand.callLine : line;
    synchronized (this) {
      if (isClosed) {
        return;
      }
      strand.writeStack();
      int text = value == null ? -1 : writer.text(value);
      writer.access(strand.id, location, isWrite, text, at == Sites.CALLER ? -1 : source(at));
    }
  }

  // Operations that can order others.

  synchronized void sync(Strand strand, Sync op, int argument) {
    if (!isClosed) {
      strand.start();
      writer.sync(op, strand.id, argument);
      strand.synchronise();
    }
  }

  synchronized void sync(Strand strand, Sync op, int argument, int other) {
    if (!isClosed) {
      strand.start();
      writer.sync(op, strand.id, argument, other);
      strand.synchronise();
    }
  }

  /** Writes the post of a message for an object. */
  synchronized void enqueue(Strand strand, Named object, Post what, int queue, Posting posting) {
    if (!isClosed) {
      strand.writeStack();
      Post post = what.with(message(what.label()));
      object.post(post);
      writer.enqueue(strand.id, post.message(), queue, posting);
      strand.synchronise();
    }
  }

  synchronized void begin(Strand strand, Post post) {
    if (!isClosed) {
      strand.begin(post.message() < 0 ? post.with(message(post.label())) : post);
    }
  }

  void end(Strand strand) {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      strand.end();
    }
    flushNowAndThen();
  }
}
