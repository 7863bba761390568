package interloper.runtime;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/**
 * Finds the {@link Named} of an object by identity, and holds objects weakly.
 *
 * <p>The table is divided into stripes with a lock each. A lookup costs some 30 ns.
 */
final class Objects {
  private static final int STRIPES = 32;

  private final Stripe[] stripes = new Stripe[STRIPES];

  Objects() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /** Returns what is known about an object; at first nothing. */
  Named of(Object object) {
    int hash = System.identityHashCode(object) * 0x9E3779B9;
    return stripes[hash >>> 27].of(object, hash, true);
  }

  /** Returns what is known about an object, or null. */
  Named find(Object object) {
    int hash = System.identityHashCode(object) * 0x9E3779B9;
    return stripes[hash >>> 27].of(object, hash, false);
  }

  private static final class Stripe {
    private final ReferenceQueue<Object> dead = new ReferenceQueue<>();
    private Named[] buckets = new Named[64];
    private int size;

    synchronized Named of(Object object, int hash, boolean add) {
      int at = hash & (buckets.length - 1);
      for (Named named = buckets[at]; named != null; named = named.next) {
        if (named.hash == hash && named.refersTo(object)) {
          return named;
        }
      }
      if (!add) {
        return null;
      }
      removeDead();
      if (size > buckets.length) {
        grow();
        at = hash & (buckets.length - 1);
      }
      Named named = new Named(object, hash, dead);
      named.next = buckets[at];
      buckets[at] = named;
      size++;
      return named;
    }

    private void removeDead() {
      for (Reference<?> gone = dead.poll(); gone != null; gone = dead.poll()) {
        remove((Named) gone);
      }
    }

    private void remove(Named gone) {
      int at = gone.hash & (buckets.length - 1);
      Named before = null;
      for (Named named = buckets[at]; named != null; named = named.next) {
        if (named == gone) {
          if (before == null) {
            buckets[at] = named.next;
          } else {
            before.next = named.next;
          }
          size--;
          return;
        }
        before = named;
      }
    }

    private void grow() {
      Named[] old = buckets;
      buckets = new Named[2 * old.length];
      for (Named head : old) {
        for (Named named = head; named != null; ) {
          Named next = named.next;
          int at = named.hash & (buckets.length - 1);
          named.next = buckets[at];
          buckets[at] = named;
          named = next;
        }
      }
    }
  }
}
