package interloper.runtime;

import java.util.Arrays;

/** A map of numbers from 0 on to numbers from 0 on, with open addressing. */
final class IntMap {
  static final int ABSENT = -1;

  private int[] keys;
  private int[] values;
  private int size;

  IntMap() {
    keys = new int[8];
    values = new int[8];
    Arrays.fill(keys, ABSENT);
  }

  int get(int key) {
    int at = slot(key);
    return keys[at] == key ? values[at] : ABSENT;
  }

  void put(int key, int value) {
    if (2 * size >= keys.length) {
      grow();
    }
    int at = slot(key);
    if (keys[at] != key) {
      keys[at] = key;
      size++;
    }
    values[at] = value;
  }

  private int slot(int key) {
    int mask = keys.length - 1;
    int at = (key * 0x9E3779B9 >>> 7) & mask;
    while (keys[at] != ABSENT && keys[at] != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void grow() {
    int[] oldKeys = keys;
    int[] oldValues = values;
    keys = new int[2 * oldKeys.length];
    values = new int[keys.length];
    Arrays.fill(keys, ABSENT);
    size = 0;
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != ABSENT) {
        put(oldKeys[i], oldValues[i]);
      }
    }
  }
}
