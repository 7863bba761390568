package interloper.ilt;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Writes a trace in the native format, version 1, as docs/format.md defines it, uncompressed.
 *
 * <p>Operations are numbered by the order of the calls. They are collected in a window, which
 * {@link #flush} writes as whole blocks; a window that has grown to {@link #WINDOW} bytes is
 * written by itself. Whatever was flushed can be read even if the process is killed afterwards.
 * After an error of the file, the writer drops everything and {@link #failure} returns the error,
 * so that a full disk does not disturb the recorded program.
 *
 * <p>The writer keeps the names of small tables, and only counts messages and locations. It is not
 * thread-safe. A row costs some ten nanoseconds and two to eight bytes.
 */
public final class Writer implements Closeable {
  private static final int WINDOW = 1 << 18;
  private static final int HEADER = 36;
  private static final int TABLES = 1;
  private static final int SYNC = 2;
  private static final int DATA = 3;
  private static final int END = 4;
  private static final int WITH_VALUE = 2;
  private static final int WITH_SOURCE = 4;
  private static final int WITH_TYPE = 16;
  private static final int WITH_NAME = 32;
  private static final int IS_WRITE = 128;

  private final OutputStream out;
  private final Bytes tables = new Bytes(1 << 12);
  private final Bytes sync = new Bytes(1 << 12);
  private final Bytes data = new Bytes(1 << 14);
  private final Bytes header = new Bytes(HEADER);
  private final Bytes list = new Bytes(1 << 10);
  private final CRC32C crc = new CRC32C();

  /** How many entries each table has, with source positions and stacks at the end. */
  private final int[] counts = new int[14];

  private final int[] written = new int[14];
  private final Map<String, Integer> texts = new HashMap<>();
  private final Map<String, Integer> functions = new HashMap<>();
  private final Map<Long, Integer> sources = new HashMap<>();
  private final Map<Frame, Integer> stacks = new HashMap<>();

  private long first;
  private int span;
  private int blocks;
  private long size;
  private IOException failure;

  // The state of the sync block.
  private long syncNumber;

  // The state of the data block.
  private long dataNumber;
  private int dataThread;
  private int dataLocation;
  private int dataSource;

  private record Frame(int parent, int function, int source, int whose) {}

  /** Starts a file. The model is the one that the trace is checked under by default. */
  public Writer(OutputStream out, String model) {
    this.out = out;
    counts[Table.PROCESS.ordinal()] = 1;
    written[Table.PROCESS.ordinal()] = 1;
    int text = text(model);
    tables.u8(Table.MODEL);
    tables.varint(text);
  }

  /** Adds a name that its table does not have yet, and returns its id. */
  public int add(Table table, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    tables.u8(table.ordinal());
    tables.varint(bytes.length);
    tables.bytes(bytes, 0, bytes.length);
    return counts[table.ordinal()]++;
  }

  /** Returns the id of a text. */
  public int text(String text) {
    Integer known = texts.get(text);
    if (known != null) {
      return known;
    }
    int id = add(Table.TEXT, text);
    texts.put(text, id);
    return id;
  }

  /** Returns the id of a function. */
  public int function(String name) {
    Integer known = functions.get(name);
    if (known != null) {
      return known;
    }
    int id = add(Table.FUNCTION, name);
    functions.put(name, id);
    return id;
  }

  /** Returns the id of a line of a file. */
  public int source(String file, int line) {
    int text = text(file);
    Long key = ((long) text << 32) | line;
    Integer known = sources.get(key);
    if (known != null) {
      return known;
    }
    tables.u8(Table.SOURCE);
    tables.varint(text);
    tables.varint(line);
    tables.varint(0);
    int id = counts[12]++;
    sources.put(key, id);
    return id;
  }

  /**
   * Returns the id of a stack.
   *
   * @param parent the stack below, or -1
   * @param source the position where the function was entered, or -1
   * @param whose 1 for a function of the program, 2 for one of the framework
   */
  public int stack(int parent, int function, int source, int whose) {
    Frame frame = new Frame(parent, function, source, whose);
    Integer known = stacks.get(frame);
    if (known != null) {
      return known;
    }
    tables.u8(Table.STACK);
    tables.varint(parent + 1);
    tables.varint(function);
    tables.varint(source + 1);
    tables.u8(whose);
    int id = counts[13]++;
    stacks.put(frame, id);
    return id;
  }

  /** States that a thread runs in another process than the program. */
  public void process(int thread, int process) {
    tables.u8(Table.PROCESS_OF);
    tables.varint(thread);
    tables.varint(process);
  }

  /** States the kind of a location, by its number in docs/format.md. */
  public void kind(int location, int kind) {
    tables.u8(Table.KIND_OF);
    tables.varint(location);
    tables.u8(kind);
  }

  /** Writes an operation without arguments. */
  public void sync(Sync op, int thread) {
    row(op, thread, 0);
  }

  /** Writes an operation with one argument. */
  public void sync(Sync op, int thread, int argument) {
    row(op, thread, 0);
    sync.varint(argument);
  }

  /** Writes an operation with two arguments. */
  public void sync(Sync op, int thread, int argument, int other) {
    sync(op, thread, argument);
    sync.varint(other);
  }

  /** Writes the post of a message. */
  public void enqueue(int thread, int message, int queue, Posting posting) {
    sync(Sync.ENQUEUE, thread, message, queue);
    posting.write(sync);
  }

  /** Writes the begin of an event, with the texts of its type and its name. */
  public void begin(int thread, int message, int type, int name) {
    row(Sync.BEGIN, thread, WITH_TYPE | WITH_NAME);
    sync.varint(message);
    sync.varint(type);
    sync.varint(name);
  }

  private void row(Sync op, int thread, int mask) {
    makeRoom();
    sync.u8(op.ordinal());
    sync.u8(mask);
    sync.varint(first + span - syncNumber);
    sync.varint(thread);
    span++;
    syncNumber = first + span;
  }

  /**
   * Writes an access.
   *
   * @param value the text of the value read or written, or -1
   * @param source the id of the position, or -1
   */
  public void access(int thread, int location, boolean isWrite, int value, int source) {
    dataOf(thread);
    int difference = location - dataLocation;
    long head = Integer.toUnsignedLong((difference << 1) ^ (difference >> 31)) << 3;
    dataLocation = location;
    if (value < 0 && source < 0) {
      data.varint(head | (isWrite ? 1 : 0));
      return;
    }
    if (value < 0 && source == dataSource + 1) {
      data.varint(head | (isWrite ? 3 : 2));
      dataSource = source;
      return;
    }
    data.varint(head | 4);
    int mask = (value < 0 ? 0 : WITH_VALUE) | (source < 0 ? 0 : WITH_SOURCE);
    data.u8(mask | (isWrite ? IS_WRITE : 0));
    if (value >= 0) {
      data.varint(value);
    }
    if (source >= 0) {
      data.svarint(source - dataSource);
      dataSource = source;
    }
  }

  /** Writes that a thread enters the function on top of a stack. */
  public void enter(int thread, int stack) {
    dataOf(thread);
    data.u8(5 | 1 << 3);
    data.varint(stack);
  }

  /** Writes that a thread leaves the function entered last. */
  public void leave(int thread) {
    dataOf(thread);
    data.u8(5 | 2 << 3);
  }

  /** Gives the next row of the data block its thread and number. */
  private void dataOf(int thread) {
    makeRoom();
    long number = first + span;
    if (thread != dataThread || number != dataNumber) {
      data.u8(5);
      data.varint(thread);
      data.varint(number - dataNumber);
      dataThread = thread;
    }
    span++;
    dataNumber = number + 1;
  }

  private void makeRoom() {
    if (sync.length() + data.length() + tables.length() >= WINDOW) {
      flush();
    }
  }

  /** How many operations were written so far. */
  public long operations() {
    return first + span;
  }

  /** The error that ended the writing, or null. */
  public IOException failure() {
    return failure;
  }

  /** Returns how many bytes were written to the file. */
  public long size() {
    return size;
  }

  /** Writes the window to the file. */
  public void flush() {
    if (failure == null) {
      try {
        writeWindow();
      } catch (IOException error) {
        failure = error;
      }
    }
    sync.clear();
    data.clear();
    tables.clear();
    System.arraycopy(counts, 0, written, 0, counts.length);
    first += span;
    span = 0;
    syncNumber = first;
    dataNumber = first;
    dataThread = 0;
    dataLocation = 0;
    dataSource = 0;
  }

  private void writeWindow() throws IOException {
    if (tables.length() > 0) {
      Bytes payload = new Bytes(tables.length() + 64);
      for (int count : written) {
        payload.varint(count);
      }
      payload.bytes(tables.array(), 0, tables.length());
      block(TABLES, payload, 0);
    }
    if (sync.length() > 0) {
      block(SYNC, sync, span);
    }
    if (data.length() > 0) {
      block(DATA, data, span);
    }
    out.flush();
  }

  private void block(int type, Bytes payload, int span) throws IOException {
    header.clear();
    header.u8(0x93);
    header.u8('I');
    header.u8('L');
    header.u8('T');
    header.u8(1);
    header.u8(type);
    header.u8(0);
    header.u8(0);
    header.u32(payload.length());
    header.u32(payload.length());
    header.u64(first);
    header.u32(span);
    header.u32(checksum(payload));
    header.u32(checksum(header));
    out.write(header.array(), 0, header.length());
    out.write(payload.array(), 0, payload.length());
    blocks++;
    size += HEADER + payload.length();
    list.u8(type);
    list.varint(HEADER + (long) payload.length());
    list.varint(span);
  }

  private int checksum(Bytes of) {
    crc.reset();
    crc.update(of.array(), 0, of.length());
    return (int) crc.getValue();
  }

  /** Writes what is left and the end block, and closes the file. */
  @Override
  public void close() throws IOException {
    flush();
    if (failure == null) {
      Bytes end = new Bytes(list.length() + 32);
      end.varint(first);
      end.varint(blocks);
      end.bytes(list.array(), 0, list.length());
      end.u32(HEADER + end.length() + 8);
      end.u8('T');
      end.u8('L');
      end.u8('I');
      end.u8(0x93);
      block(END, end, 0);
    }
    out.close();
    if (failure != null) {
      throw failure;
    }
  }
}
