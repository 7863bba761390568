package interloper.ilt;

/**
 * How a message is posted.
 *
 * @param kind one of the constants below
 * @param number the delay of {@link #DELAYED} or the time of {@link #AT_TIME}
 * @param async whether barriers do not hold the message back
 */
public record Posting(int kind, long number, boolean async) {
  public static final int PLAIN = 0;
  public static final int DELAYED = 1;
  public static final int AT_TIME = 2;
  public static final int FRONT = 3;
  public static final int IDLE = 4;
  public static final int INPUT = 5;
  public static final int DISPLAY = 6;

  private static final int ASYNC = 16;

  /** A message that is due at once. */
  public static final Posting NOW = new Posting(PLAIN, 0, false);

  /** A message that is due after a delay. */
  public static Posting delayed(long delay) {
    return delay <= 0 ? NOW : new Posting(DELAYED, delay, false);
  }

  void write(Bytes to) {
    to.u8(kind | (async ? ASYNC : 0));
    if (kind == DELAYED || kind == AT_TIME) {
      to.svarint(number);
    }
  }
}
