package interloper.ilt;

import java.util.Arrays;

/** A growing array of bytes with the number encodings of docs/format.md. */
final class Bytes {
  private byte[] bytes;
  private int length;

  Bytes(int capacity) {
    bytes = new byte[capacity];
  }

  int length() {
    return length;
  }

  byte[] array() {
    return bytes;
  }

  void clear() {
    length = 0;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }

  void u8(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  void u32(int value) {
    reserve(4);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes[length++] = (byte) (value >>> shift);
    }
  }

  void u64(long value) {
    u32((int) value);
    u32((int) (value >>> 32));
  }

  /** Appends an unsigned LEB128 number. */
  void varint(long value) {
    reserve(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
  }

  /** Appends a signed number. */
  void svarint(long value) {
    varint((value << 1) ^ (value >> 63));
  }

  void bytes(byte[] from, int offset, int count) {
    reserve(count);
    System.arraycopy(from, offset, bytes, length, count);
    length += count;
  }
}
