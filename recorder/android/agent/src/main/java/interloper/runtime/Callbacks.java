package interloper.runtime;

import interloper.ilt.Sync;
import interloper.ilt.Table;

/** Hooks of listeners: an event that a listener hears comes after the listener was set. */
public final class Callbacks {
  private Callbacks() {}

  /** A listener is about to be set on an object. */
  public static void register(Object listener, Object on) {
    write(Sync.REGISTER, listener, on);
  }

  /** A listener of an object is about to be called. */
  public static void invoke(Object listener, Object on) {
    write(Sync.INVOKE, listener, on);
  }

  private static void write(Sync op, Object listener, Object on) {
    Strand strand = Recorder.strand();
    if (strand == null || listener == null) {
      return;
    }
    Recording recording = strand.recording;
    Named named = recording.objects.of(listener);
    Named of = recording.objects.of(on);
    synchronized (recording) {
      String key = "." + recording.name(named, listener) + " of " + recording.name(of, on);
      Integer known = of.callbacks().get(key);
      if (known == null) {
        known = recording.writer.add(Table.CALLBACK, key.substring(1));
        of.callbacks().put(key, known);
      }
      recording.sync(strand, op, known);
    }
  }
}
