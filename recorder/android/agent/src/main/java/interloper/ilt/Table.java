package interloper.ilt;

/** The tables of names of a native file, in the order of their tags (docs/format.md). */
public enum Table {
  THREAD,
  PROCESS,
  QUEUE,
  MESSAGE,
  HANDLE,
  LOCK,
  CALLBACK,
  ENVIRONMENT,
  BARRIER,
  LOCATION,
  FUNCTION,
  TEXT;

  static final int SOURCE = 16;
  static final int STACK = 17;
  static final int MODEL = 18;
  static final int PROCESS_OF = 19;
  static final int KIND_OF = 20;
}
