package interloper.robust.code;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Instruments one class: {@link MethodCode} adds the hooks to its methods, {@link Bridges} holds the methods
 * through which it calls the library, and the static initialiser becomes repeatable.
 *
 * <p>An initialiser is moved to a method that first clears the static fields; the new initialiser calls it. The
 * constants of an enumeration stay, because the library keeps them, and so do the constants of an
 * interface, which must be final; if such a class has further state, runs need fresh class loaders.
 */
final class Instrumenter extends ClassVisitor {
    static final String HOOKS = "interloper/robust/engine/Hooks";
    private static final String INITIALISER = "$interloper$initialiser";

    final Loader loader;
    final Hierarchy hierarchy;
    final Loader.Counts counts;
    final Bridges bridges;
    String name;
    String file = "unknown source";
    int version;
    boolean isInterface;
    private boolean isEnum;
    private boolean hasInitialiser;
    /** Whether objects of the class would have the hash codes of {@code Object}. */
    private boolean needsHashCode;
    private final List<String[]> statics = new ArrayList<>();

    private Instrumenter(ClassVisitor out, Loader loader, Hierarchy hierarchy, Loader.Counts counts) {
        super(Opcodes.ASM9, out);
        this.loader = loader;
        this.hierarchy = hierarchy;
        this.counts = counts;
        bridges = new Bridges(this, out);
    }

    static byte[] instrument(byte[] bytes, Loader loader, Hierarchy hierarchy, Loader.Counts counts) {
        ClassReader in = new ClassReader(bytes);
        ClassWriter out = new ClassWriter(in, ClassWriter.COMPUTE_MAXS);
        in.accept(new Instrumenter(out, loader, hierarchy, counts), 0);
        return out.toByteArray();
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        this.version = version & 0xFFFF;
        this.name = name;
        isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
        isEnum = "java/lang/Enum".equals(superName);
        needsHashCode = !isInterface && "java/lang/Object".equals(superName);
        file = name.substring(name.lastIndexOf('/') + 1) + ".class";
        counts.classes.incrementAndGet();
        super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public void visitSource(String source, String debug) {
        if (source != null) {
            file = source;
        }
        super.visitSource(source, debug);
    }

    @Override
    public FieldVisitor visitField(int access, String field, String type, String signature, Object value) {
        boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
        boolean isConstant = (access & (Opcodes.ACC_ENUM | Opcodes.ACC_SYNTHETIC)) != 0;
        if (isEnum && !isConstant && (isStatic ? value == null : (access & Opcodes.ACC_FINAL) == 0)
                || isInterface && value == null && (type.startsWith("[") || type.startsWith("Ljava/util/"))) {
            counts.needsFreshLoaders = true;
        }
        int kept = access;
        if (isRepeatable() && isStatic && value == null) {
            statics.add(new String[] {field, type});
            kept &= ~Opcodes.ACC_FINAL;
        }
        return super.visitField(kept, field, type, signature, value);
    }

    /** Whether the static initialiser can run again. */
    private boolean isRepeatable() {
        return !isInterface && !isEnum;
    }

    @Override
    public MethodVisitor visitMethod(int access, String method, String type, String signature, String[] thrown) {
        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
            return super.visitMethod(access, method, type, signature, thrown);
        }
        counts.methods.incrementAndGet();
        if (method.equals("hashCode") && type.equals("()I")) {
            needsHashCode = false;
        }
        if (method.equals("<clinit>")) {
            if (!isRepeatable()) {
                return new InitialiserCode(super.visitMethod(access, method, type, signature, thrown), name, version);
            }
            hasInitialiser = true;
            int moved = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
            return new MethodCode(this, super.visitMethod(moved, INITIALISER, type, null, null), "<clinit>");
        }
        if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
            String body = bridges.synchronizedMethod(access, method, type, signature, thrown);
            int hidden = access & Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC;
            return new MethodCode(this, super.visitMethod(hidden, body, type, signature, thrown), method);
        }
        return new MethodCode(this, super.visitMethod(access, method, type, signature, thrown), method);
    }

    @Override
    public void visitEnd() {
        bridges.write();
        if (needsHashCode) {
            writeHashCode();
        }
        if (isRepeatable() && (hasInitialiser || !statics.isEmpty())) {
            writeReset();
            writeInitialiser();
        }
        super.visitEnd();
    }

    private void writeHashCode() {
        MethodVisitor code = super.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC, "hashCode", "()I", null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "hash", "(Ljava/lang/Object;)I", false);
        code.visitInsn(Opcodes.IRETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private void writeReset() {
        int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
        MethodVisitor code = super.visitMethod(access, Loader.RESET, "()V", null, null);
        code.visitCode();
        for (String[] field : statics) {
            code.visitInsn(switch (field[1].charAt(0)) {
                case 'J' -> Opcodes.LCONST_0;
                case 'D' -> Opcodes.DCONST_0;
                case 'F' -> Opcodes.FCONST_0;
                case 'L', '[' -> Opcodes.ACONST_NULL;
                default -> Opcodes.ICONST_0;
            });
            code.visitFieldInsn(Opcodes.PUTSTATIC, name, field[0], field[1]);
        }
        if (hasInitialiser) {
            code.visitMethodInsn(Opcodes.INVOKESTATIC, name, INITIALISER, "()V", false);
        }
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private void writeInitialiser() {
        MethodVisitor code = super.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
        code = new InitialiserCode(code, name, version);
        code.visitCode();
        code.visitMethodInsn(Opcodes.INVOKESTATIC, name, Loader.RESET, "()V", false);
        code.visitLdcInsn(name.replace('/', '.'));
        code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "initialised", "(Ljava/lang/String;)V", false);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    /** Adds a site of this class. */
    Site site(String method, int line, String what, int field, boolean write) {
        return Sites.add(simple(name) + "." + method, file, line, what, field, write);
    }

    /** The name of a class without its package, inner classes after a dot. */
    static String simple(String internal) {
        return internal.substring(internal.lastIndexOf('/') + 1).replace('$', '.');
    }
}
