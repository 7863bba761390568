package convert;

import com.googlecode.d2j.dex.Dex2jar;
import com.googlecode.d2j.reader.MultiDexFileReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Converts the dex code of an app to class files: {@code convert.Convert APP.apk OUT.jar
 * FRAMEWORK.jar}. The jar is complete or absent.
 */
public final class Convert {
  private static final String ENDING = ".class";

  private Convert() {}

  public static void main(String[] arguments) throws IOException {
    Path apk = Path.of(arguments[0]);
    Path out = Path.of(arguments[1]);
    Path raw = out.resolveSibling(out.getFileName() + ".raw");
    Path mended = out.resolveSibling(out.getFileName() + ".part");
    Files.deleteIfExists(raw);
    try {
      Dex2jar.from(MultiDexFileReader.open(Files.readAllBytes(apk))).skipDebug(false).to(raw);
      mend(raw, mended, Path.of(arguments[2]));
      Files.move(mended, out, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(raw);
      Files.deleteIfExists(mended);
    }
  }

  private static void mend(Path from, Path to, Path framework) throws IOException {
    Map<String, byte[]> classes = new TreeMap<>();
    try (ZipFile jar = new ZipFile(from.toFile())) {
      for (ZipEntry entry : Collections.list(jar.entries())) {
        if (entry.getName().endsWith(ENDING)) {
          try (InputStream in = jar.getInputStream(entry)) {
            classes.put(name(entry), in.readAllBytes());
          }
        }
      }
    }
    try (ZipFile library = new ZipFile(framework.toFile());
        OutputStream file = new BufferedOutputStream(Files.newOutputStream(to));
        ZipOutputStream jar = new ZipOutputStream(file)) {
      jar.setLevel(1);
      Mender mender = new Mender(classes, library);
      for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
        jar.putNextEntry(new ZipEntry(entry.getKey() + ENDING));
        jar.write(mender.mend(entry.getValue()));
      }
    }
  }

  private static String name(ZipEntry entry) {
    String name = entry.getName();
    return name.substring(0, name.length() - ENDING.length());
  }
}
