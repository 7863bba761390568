package interloper.runtime;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a recording knows about one object of the program, which it does not keep alive.
 *
 * <p>Ids are those of the recording's file, or -1 as long as the object has none. They are guarded
 * by the recording's lock.
 */
final class Named extends WeakReference<Object> {
  private static final int REMEMBERED = 64;

  final int hash;
  Named next;

  /** The name of the object, such as {@code ImageView@2}; null until somebody asks. */
  String name;

  int lock = -1;
  int handle = -1;
  int queue = -1;
  int message = -1;

  /** Whether the handle was notified. Without that, a wait on it orders nothing. */
  boolean isReleased;

  /** The executor that last got the object as a task. */
  Named executor;

  /** The strand that runs the object, if it is a thread or a serial executor. */
  Strand strand;

  /** The object whose state this one is a part or a view of, such as the lock of a read lock. */
  Named whole;

  /** Fields and elements of the object to their locations. */
  IntMap locations;

  /** Other parts of the object, such as the keys of a map, to their locations. */
  private Map<String, Integer> parts;

  /** The callbacks that are set on this object. */
  private Map<String, Integer> callbacks;

  /** If this is a Handler: the last messages that it got and that have begun, by their keys. */
  private Map<Object, Integer> begun;

  /** Messages that were posted for this object and have not begun. */
  private ArrayDeque<Post> posts;

  Named(Object object, int hash, ReferenceQueue<Object> dead) {
    super(object, dead);
    this.hash = hash;
  }

  /** Returns the location of a field or an element, or {@link IntMap#ABSENT}. */
  int location(int key) {
    if (locations == null) {
      locations = new IntMap();
    }
    return locations.get(key);
  }

  Map<String, Integer> parts() {
    if (parts == null) {
      parts = new HashMap<>();
    }
    return parts;
  }

  Map<String, Integer> callbacks() {
    if (callbacks == null) {
      callbacks = new HashMap<>(2);
    }
    return callbacks;
  }

  /** Returns the last messages of a Handler that have begun; old ones are forgotten. */
  Map<Object, Integer> begun() {
    if (begun == null) {
      begun =
          new LinkedHashMap<>(8) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Object, Integer> eldest) {
              return size() > REMEMBERED;
            }
          };
    }
    return begun;
  }

  void post(Post post) {
    if (posts == null) {
      posts = new ArrayDeque<>(1);
    }
    posts.add(post);
  }

  /** Returns the message that was posted last and has not begun, or -1. */
  int lastPosted() {
    return posts == null || posts.isEmpty() ? -1 : posts.getLast().message();
  }

  /** Takes the oldest message posted for this object, or null. */
  Post takePost() {
    return posts == null ? null : posts.poll();
  }
}
