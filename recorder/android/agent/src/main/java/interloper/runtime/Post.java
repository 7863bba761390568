package interloper.runtime;

/**
 * A message that waits for its dispatch.
 *
 * @param message its id in the recording's file, or -1 if it is not recorded as a message
 * @param strand where it will run, if that is not the thread that dispatches it
 * @param type the kind of event, such as {@code message} or {@code task}
 * @param label what runs, such as {@code MainActivity$1}
 * @param handler the Handler that the message was sent to, or null
 * @param key what {@code removeCallbacks} or {@code removeMessages} finds the message by
 */
record Post(int message, Strand strand, String type, String label, Named handler, Object key) {
  Post(int message, Strand strand, String type, String label) {
    this(message, strand, type, label, null, null);
  }

  /** Returns the same message with an id. */
  Post with(int id) {
    return new Post(id, strand, type, label, handler, key);
  }
}
