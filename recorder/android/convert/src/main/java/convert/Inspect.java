package convert;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Prints what an APK is, in lines of a word, a tab and a text: {@code convert.Inspect APP.apk}.
 *
 * <p>The words are {@code sha256}, {@code package}, {@code minSdk}, {@code split} (its name, if it
 * is a part of an app), {@code needsSplits}, {@code native} (for each architecture) and {@code
 * broken} (why it is no APK).
 */
public final class Inspect {
  private static final String MANIFEST = "AndroidManifest.xml";

  private Inspect() {}

  public static void main(String[] arguments) throws IOException {
    Path apk = Path.of(arguments[0]);
    try (ZipFile zip = new ZipFile(apk.toFile())) {
      inspect(zip);
    } catch (IOException | RuntimeException failure) {
      say("broken", failure.getMessage() == null ? failure.toString() : failure.getMessage());
    }
    say("sha256", Checksums.of(apk));
  }

  private static void inspect(ZipFile zip) throws IOException {
    ZipEntry entry = zip.getEntry(MANIFEST);
    if (entry == null) {
      boolean isBundle = zip.getEntry("BundleConfig.pb") != null;
      boolean isSet = zip.stream().anyMatch(one -> one.getName().endsWith(".apk"));
      say(
          "broken",
          isBundle
              ? "it is an app bundle, from which bundletool build-apks --mode=universal makes an APK"
              : isSet ? "it is a set of APKs; unpack it, and name one" : "it has no " + MANIFEST);
      return;
    }
    Manifest manifest;
    try (InputStream in = zip.getInputStream(entry)) {
      manifest = new Manifest(in.readAllBytes());
    } catch (RuntimeException failure) {
      say("broken", "its " + MANIFEST + " cannot be read (" + failure.getMessage() + ")");
      return;
    }
    say("package", manifest.packageName);
    say("minSdk", String.valueOf(manifest.minSdk));
    if (!manifest.split.isEmpty()) {
      say("split", manifest.split);
    }
    if (manifest.needsSplits) {
      say("needsSplits", "true");
    }
    Set<String> architectures = new TreeSet<>();
    for (ZipEntry one : Collections.list(zip.entries())) {
      String[] path = one.getName().split("/");
      if (path.length == 3 && path[0].equals("lib") && path[2].endsWith(".so")) {
        architectures.add(path[1]);
      }
    }
    architectures.forEach(architecture -> say("native", architecture));
    if (manifest.split.isEmpty() && zip.getEntry("classes.dex") == null) {
      say("broken", "it has no code (classes.dex)");
    }
  }

  private static void say(String word, String text) {
    System.out.println(word + "\t" + text.replaceAll("\\s+", " "));
  }
}
