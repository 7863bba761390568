package interloper.robust.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Where the fields and methods of the application's classes are declared. */
final class Hierarchy {
    private final ClassPath classPath;
    private final Map<String, Declared> known = new HashMap<>();

    Hierarchy(ClassPath classPath) {
        this.classPath = classPath;
    }

    /** What one class file declares. */
    private static final class Declared {
        String superName;
        final List<String> interfaces = new ArrayList<>();
        final Set<String> fields = new HashSet<>();
        final Set<String> finals = new HashSet<>();
        final Set<String> methods = new HashSet<>();
    }

    private Declared declared(String name) {
        if (known.containsKey(name)) {
            return known.get(name);
        }
        byte[] bytes = classPath.find(name);
        Declared found = bytes == null ? null : read(bytes);
        known.put(name, found);
        return found;
    }

    private static Declared read(byte[] bytes) {
        Declared found = new Declared();
        new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public void visit(int version, int access, String name, String signature, String superName, String[] of) {
                found.superName = superName;
                found.interfaces.addAll(List.of(of));
            }

            @Override
            public FieldVisitor visitField(int access, String name, String type, String signature, Object value) {
                found.fields.add(name);
                if ((access & Opcodes.ACC_FINAL) != 0) {
                    found.finals.add(name);
                }
                return null;
            }

            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
                found.methods.add(name + type);
                return null;
            }
        }, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return found;
    }

    /** The class that declares a field, starting from the class that an instruction names. */
    String fieldOwner(String owner, String field) {
        Declared at = declared(owner);
        if (at == null || at.fields.contains(field)) {
            return owner;
        }
        for (String parent : at.interfaces) {
            Declared of = declared(parent);
            if (of != null && of.fields.contains(field)) {
                return parent;
            }
        }
        return at.superName == null ? owner : fieldOwner(at.superName, field);
    }

    boolean isFinal(String owner, String field) {
        Declared at = declared(owner);
        return at != null && at.finals.contains(field);
    }

    /**
     * The class of the library that declares a method which a class of the application inherits, or the name
     * itself if the application declares the method or the class is no part of the application.
     */
    String methodOwner(String owner, String name, String type) {
        String at = owner;
        for (Declared of = declared(at); of != null; of = declared(at)) {
            if (of.methods.contains(name + type) || of.superName == null) {
                return owner;
            }
            for (String parent : of.interfaces) {
                if (declared(parent) != null && declares(parent, name + type)) {
                    return owner;
                }
            }
            if (of.superName.equals("java/lang/Object") && !of.interfaces.isEmpty() && !name.equals("<init>")) {
                for (String parent : of.interfaces) {
                    if (declared(parent) == null && !isMethodOfObject(name)) {
                        return parent;
                    }
                }
            }
            at = of.superName;
        }
        return at;
    }

    private static boolean isMethodOfObject(String name) {
        return Set.of("hashCode", "equals", "toString", "getClass", "wait", "notify", "notifyAll", "clone", "finalize")
                .contains(name);
    }

    private boolean declares(String type, String method) {
        Declared of = declared(type);
        if (of == null) {
            return false;
        }
        return of.methods.contains(method) || of.interfaces.stream().anyMatch(parent -> declares(parent, method));
    }
}
