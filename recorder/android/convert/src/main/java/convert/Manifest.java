package convert;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What the binary manifest of an APK says about the app. Attributes that only an emulator or a
 * store needs are not read.
 *
 * <p>The file is a sequence of chunks, each with a type, the size of its header and its own size. A
 * pool of texts comes first; the elements refer to it by number.
 */
final class Manifest {
  private static final int POOL = 0x0001;
  private static final int FILE = 0x0003;
  private static final int ELEMENT = 0x0102;
  private static final int UTF8 = 1 << 8;
  private static final int TEXT = 3;

  String packageName = "";
  String split = "";
  boolean needsSplits;
  int minSdk = 1;

  private final ByteBuffer bytes;
  private final List<String> texts = new ArrayList<>();

  /** Reads a manifest. Throws an unchecked exception if the bytes are none. */
  Manifest(byte[] manifest) {
    bytes = ByteBuffer.wrap(manifest).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.getShort(0) != FILE) {
      throw new IllegalArgumentException("no binary XML");
    }
    for (int at = 8; at + 8 <= bytes.limit(); ) {
      int size = bytes.getInt(at + 4);
      if (size < 8) {
        throw new IllegalArgumentException("a chunk of " + size + " bytes");
      }
      switch (bytes.getShort(at)) {
        case POOL -> pool(at);
        case ELEMENT -> element(at);
        default -> {}
      }
      at += size;
    }
    if (packageName.isEmpty()) {
      throw new IllegalArgumentException("no package");
    }
  }

  private void pool(int at) {
    int count = bytes.getInt(at + 8);
    boolean isUtf8 = (bytes.getInt(at + 16) & UTF8) != 0;
    int start = at + bytes.getInt(at + 20);
    int offsets = at + bytes.getShort(at + 2);
    for (int i = 0; i < count; i++) {
      int text = start + bytes.getInt(offsets + 4 * i);
      texts.add(isUtf8 ? utf8(text) : utf16(text));
    }
  }

  private String utf8(int from) {
    int at = from + (bytes.get(from) < 0 ? 2 : 1);
    int length = bytes.get(at) & 0xff;
    if (length >= 0x80) {
      length = (length & 0x7f) << 8 | bytes.get(at + 1) & 0xff;
      at++;
    }
    return new String(bytes.array(), at + 1, length, StandardCharsets.UTF_8);
  }

  private String utf16(int from) {
    int length = bytes.getShort(from) & 0xffff;
    int at = from + 2;
    if (length >= 0x8000) {
      length = (length & 0x7fff) << 16 | bytes.getShort(at) & 0xffff;
      at += 2;
    }
    return new String(bytes.array(), at, 2 * length, StandardCharsets.UTF_16LE);
  }

  private void element(int at) {
    int body = at + bytes.getShort(at + 2);
    String element = text(bytes.getInt(body + 4));
    int first = body + bytes.getShort(body + 8);
    int size = bytes.getShort(body + 10);
    int count = bytes.getShort(body + 12);
    for (int i = 0; i < count; i++) {
      int attribute = first + i * size;
      String name = text(bytes.getInt(attribute + 4));
      boolean isText = bytes.get(attribute + 15) == TEXT;
      int value = bytes.getInt(attribute + 16);
      switch (element + " " + name) {
        case "manifest package" -> packageName = isText ? text(value) : "";
        case "manifest split" -> split = isText ? text(value) : "";
        case "manifest isSplitRequired", "application isSplitRequired" -> needsSplits |= value != 0;
        // A text is the name of a platform that was not released yet.
        case "uses-sdk minSdkVersion" -> minSdk = isText ? Integer.MAX_VALUE : value;
        default -> {}
      }
    }
  }

  private String text(int number) {
    return number < 0 || number >= texts.size() ? "" : texts.get(number);
  }
}
