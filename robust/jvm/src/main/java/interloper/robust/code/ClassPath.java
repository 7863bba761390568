package interloper.robust.code;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The classes of the application: folders and jars, then the models of this jar. */
public final class ClassPath {
    private final List<Path> folders = new ArrayList<>();
    private final List<ZipFile> jars = new ArrayList<>();
    /** What was looked up, also if it was not found. */
    private final Map<String, byte[]> known = new HashMap<>();

    /** Opens the entries of a class path. */
    public ClassPath(String entries) throws IOException {
        for (String entry : entries.split(File.pathSeparator)) {
            Path path = Path.of(entry.isEmpty() ? "." : entry);
            if (Files.isDirectory(path)) {
                folders.add(path);
            } else if (Files.exists(path)) {
                jars.add(open(path));
            } else {
                throw new IOException("the class path names " + entry + ", which does not exist");
            }
        }
    }

    private static ZipFile open(Path path) throws IOException {
        try {
            return new ZipFile(path.toFile());
        } catch (IOException failure) {
            throw new IOException("the class path names " + path + ", which is no jar: " + failure.getMessage(), failure);
        }
    }

    /** The bytes of a class, by its internal name, or null. */
    byte[] find(String name) {
        return known.computeIfAbsent(name, this::read);
    }

    /** Opens a resource, or returns null. */
    InputStream open(String file) {
        try {
            for (Path folder : folders) {
                Path path = folder.resolve(file);
                if (Files.isRegularFile(path)) {
                    return Files.newInputStream(path);
                }
            }
            for (ZipFile jar : jars) {
                ZipEntry entry = jar.getEntry(file);
                if (entry != null) {
                    return jar.getInputStream(entry);
                }
            }
        } catch (IOException failure) {
            return null;
        }
        return null;
    }

    private byte[] read(String name) {
        if (isOfLibrary(name)) {
            return null;
        }
        try (InputStream found = open(name + ".class");
                InputStream model = found != null ? null : ClassPath.class.getResourceAsStream("/" + name + ".class")) {
            InputStream in = found != null ? found : model;
            return in == null ? null : in.readAllBytes();
        } catch (IOException failure) {
            return null;
        }
    }

    /** Whether a class belongs to the Java library or to this program, whatever the class path says. */
    static boolean isOfLibrary(String name) {
        return name.startsWith("java/") || name.startsWith("javax/") || name.startsWith("jdk/")
                || name.startsWith("sun/") || name.startsWith("com/sun/") || name.startsWith("interloper/robust/")
                || name.startsWith("[");
    }
}
