package convert;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Makes converted classes pass the verifier of the virtual machine.
 *
 * <p>The conversion writes no stack maps, and at times too small a stack. A class that needs
 * nothing newer gets version 49, for which the virtual machine infers types without stack maps. A
 * class with code in interfaces, calls of it, or invokedynamic keeps its version and gets stack
 * maps, computed over the app, the framework and the class library.
 */
final class Mender {
  private static final int OLD = Opcodes.V1_5;
  private static final int MORE_STACK = 16;
  private static final String OBJECT = "java/lang/Object";

  private final Map<String, byte[]> app;
  private final ZipFile framework;

  Mender(Map<String, byte[]> app, ZipFile framework) {
    this.app = app;
    this.framework = framework;
  }

  byte[] mend(byte[] type) {
    ClassReader reader = new ClassReader(type);
    if (!needsNewVersion(reader)) {
      ClassWriter writer = new ClassWriter(0);
      reader.accept(new Lowered(new Sourced(new Plain(writer))), ClassReader.SKIP_FRAMES);
      return writer.toByteArray();
    }
    try {
      ClassWriter writer = new Framed();
      reader.accept(new Sourced(new Plain(writer)), ClassReader.SKIP_FRAMES);
      return writer.toByteArray();
    } catch (RuntimeException unusual) {
      // The app may never load the class.
      System.err.println("interloper: " + reader.getClassName() + " is not mended: " + unusual);
      return type;
    }
  }

  /** Names the source file after the outermost class, because the conversion drops the name. */
  private static final class Sourced extends ClassVisitor {
    Sourced(ClassVisitor to) {
      super(Opcodes.ASM9, to);
    }

    @Override
    public void visit(
        int version, int access, String name, String signature, String parent, String[] types) {
      super.visit(version, access, name, signature, parent, types);
      String simple = name.substring(name.lastIndexOf('/') + 1);
      int inner = simple.indexOf('$', 1);
      visitSource((inner < 0 ? simple : simple.substring(0, inner)) + ".java", null);
    }
  }

  /**
   * Lets native methods return 0 or null, because the code of another system cannot be loaded, and
   * drops the calls that would load it.
   */
  private static final class Plain extends ClassVisitor {
    private static final Set<String> LOADS = Set.of("load", "loadLibrary");
    private static final Set<String> LOADERS = Set.of("java/lang/System", "java/lang/Runtime");

    Plain(ClassVisitor to) {
      super(Opcodes.ASM9, to);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String type, String signature, String[] exceptions) {
      int plain = access & ~Opcodes.ACC_NATIVE;
      MethodVisitor to = super.visitMethod(plain, name, type, signature, exceptions);
      if (plain != access) {
        returnDefault(to, access, type);
      }
      return new MethodVisitor(Opcodes.ASM9, to) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String of, boolean onInterface) {
          if (LOADS.contains(called) && LOADERS.contains(owner)) {
            super.visitInsn(opcode == Opcodes.INVOKESTATIC ? Opcodes.POP : Opcodes.POP2);
          } else {
            super.visitMethodInsn(opcode, owner, called, of, onInterface);
          }
        }
      };
    }

    private static void returnDefault(MethodVisitor to, int access, String type) {
      Type result = Type.getReturnType(type);
      to.visitCode();
      switch (result.getSort()) {
        case Type.VOID -> {}
        case Type.LONG -> to.visitInsn(Opcodes.LCONST_0);
        case Type.FLOAT -> to.visitInsn(Opcodes.FCONST_0);
        case Type.DOUBLE -> to.visitInsn(Opcodes.DCONST_0);
        case Type.OBJECT, Type.ARRAY -> to.visitInsn(Opcodes.ACONST_NULL);
        default -> to.visitInsn(Opcodes.ICONST_0);
      }
      to.visitInsn(result.getOpcode(Opcodes.IRETURN));
      int locals = Type.getArgumentsAndReturnSizes(type) >> 2;
      to.visitMaxs(2, (access & Opcodes.ACC_STATIC) == 0 ? locals : locals - 1);
      to.visitEnd();
    }
  }

  /** Changes the version and raises stack sizes. */
  private static final class Lowered extends ClassVisitor {
    Lowered(ClassVisitor to) {
      super(Opcodes.ASM9, to);
    }

    @Override
    public void visit(
        int version, int access, String name, String signature, String parent, String[] types) {
      super.visit(OLD, access, name, signature, parent, types);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String type, String signature, String[] exceptions) {
      MethodVisitor to = super.visitMethod(access, name, type, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, to) {
        @Override
        public void visitMaxs(int stack, int locals) {
          super.visitMaxs(stack + MORE_STACK, locals);
        }
      };
    }
  }

  /** Computes stack maps. */
  private final class Framed extends ClassWriter {
    Framed() {
      super(COMPUTE_FRAMES);
    }

    @Override
    protected String getCommonSuperClass(String one, String other) {
      List<String> ancestors = ancestors(one);
      for (String name : ancestors(other)) {
        if (ancestors.contains(name)) {
          return name;
        }
      }
      return OBJECT;
    }
  }

  private List<String> ancestors(String type) {
    List<String> found = new ArrayList<>();
    String name = type;
    while (name != null) {
      found.add(name);
      byte[] bytes = find(name);
      if (bytes == null) {
        found.add(OBJECT);
        return found;
      }
      name = new ClassReader(bytes).getSuperName();
    }
    return found;
  }

  private byte[] find(String name) {
    byte[] own = app.get(name);
    if (own != null) {
      return own;
    }
    String file = name + ".class";
    ZipEntry entry = framework.getEntry(file);
    try (InputStream in =
        entry == null
            ? ClassLoader.getSystemResourceAsStream(file)
            : framework.getInputStream(entry)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static boolean needsNewVersion(ClassReader reader) {
    boolean isInterface = (reader.getAccess() & Opcodes.ACC_INTERFACE) != 0;
    boolean[] found = new boolean[1];
    ClassVisitor search =
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String type, String signature, String[] exceptions) {
            boolean hasCode = (access & Opcodes.ACC_ABSTRACT) == 0 && !name.equals("<clinit>");
            found[0] |= isInterface && hasCode;
            return new MethodVisitor(Opcodes.ASM9) {
              @Override
              public void visitMethodInsn(
                  int opcode, String owner, String called, String of, boolean onInterface) {
                found[0] |= onInterface && opcode != Opcodes.INVOKEINTERFACE;
              }

              @Override
              public void visitInvokeDynamicInsn(
                  String called, String of, Handle bootstrap, Object... arguments) {
                found[0] = true;
              }
            };
          }
        };
    reader.accept(search, ClassReader.SKIP_DEBUG);
    return found[0];
  }
}
