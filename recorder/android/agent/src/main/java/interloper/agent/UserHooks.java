package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import interloper.runtime.Sites;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Hooks of the program's own code: functions, accesses, monitors, and calls of the class library.
 *
 * <p>An object under construction belongs to its constructor: what a constructor writes into its
 * own object, and a static initialiser into its own class, is not recorded. Final fields are never
 * recorded.
 */
final class UserHooks implements Hooks {
  private final UserClasses users;
  private final Set<String> finals = new HashSet<>();
  private ClassNode type;
  private String file;
  private String label;

  UserHooks(UserClasses users) {
    this.users = users;
  }

  @Override
  public boolean weave(ClassNode of) {
    type = of;
    label = of.name.substring(of.name.lastIndexOf('/') + 1);
    int inner = label.indexOf('$');
    String outer = inner > 0 ? label.substring(0, inner) : label;
    // The folders of the package make the name unique, and source files can be found by it.
    String folder = of.name.substring(0, of.name.lastIndexOf('/') + 1);
    file = folder + (of.sourceFile == null ? outer + ".java" : of.sourceFile);
    for (FieldNode field : of.fields) {
      if ((field.access & ACC_FINAL) != 0) {
        finals.add(field.name);
      }
    }
    for (MethodNode method : of.methods) {
      if ((method.access & (ACC_ABSTRACT | ACC_NATIVE)) == 0) {
        weave(method);
      }
    }
    return true;
  }

  private void weave(MethodNode method) {
    boolean isAccessor = (method.access & ACC_SYNTHETIC) != 0 && method.name.startsWith("access$");
    AbstractInsnNode[] code = method.instructions.toArray();
    int line = 0;
    int first = 0;
    for (AbstractInsnNode at : code) {
      if (at instanceof LineNumberNode number) {
        line = number.line;
        first = first == 0 ? line : first;
      }
      int site = isAccessor || line == 0 ? Sites.CALLER : Sites.line(file, line);
      if (at instanceof FieldInsnNode field && isRecorded(method, field)) {
        access(method, field, site);
      } else if (at instanceof MethodInsnNode call) {
        CallHooks.weave(method, call, site);
      } else if (at.getOpcode() == MONITORENTER) {
        new Code().op(DUP).before(method, at);
        new Code().call("Locks", "locked", "(Ljava/lang/Object;)V").after(method, at);
      } else if (at.getOpcode() == MONITOREXIT) {
        new Code().op(DUP).call("Locks", "unlock", "(Ljava/lang/Object;)V").before(method, at);
      } else {
        element(method, at, site);
      }
    }
    if (!isAccessor) {
      frame(method, code, first == 0 ? Sites.CALLER : Sites.line(file, first));
    }
  }

  private boolean isRecorded(MethodNode method, FieldInsnNode field) {
    boolean isOwn = field.owner.equals(type.name);
    boolean isWrite = field.getOpcode() == PUTFIELD || field.getOpcode() == PUTSTATIC;
    if (isOwn && (finals.contains(field.name) || isWrite && isInitialising(method, field))) {
      return false;
    }
    boolean isResource = field.owner.endsWith("/R") || field.owner.contains("/R$");
    boolean isSynthetic =
        field.name.startsWith("$")
            || field.name.startsWith("this$")
            || field.name.startsWith("val$");
    return !isResource && !isSynthetic && users.mayBe(field.owner);
  }

  private static boolean isInitialising(MethodNode method, FieldInsnNode field) {
    return method.name.equals(field.getOpcode() == PUTFIELD ? "<init>" : "<clinit>");
  }

  /** Inserts the hook of an access: reads after they are made, writes before. */
  private void access(MethodNode method, FieldInsnNode at, int site) {
    String owner = at.owner.substring(at.owner.lastIndexOf('/') + 1);
    int field = Sites.field(owner, at.name, true);
    boolean isStatic = at.getOpcode() == GETSTATIC || at.getOpcode() == PUTSTATIC;
    boolean isWrite = at.getOpcode() == PUTFIELD || at.getOpcode() == PUTSTATIC;
    int sort = Type.getType(at.desc).getSort();
    boolean isObject = sort == Type.OBJECT || sort == Type.ARRAY;
    boolean isInt = sort >= Type.BOOLEAN && sort <= Type.INT;
    String value = isObject ? "Object" : isInt ? "Int" : "";
    String hook = (isWrite ? "write" : "read") + (isStatic ? "Static" : "") + value;
    String valueType = isObject ? "Ljava/lang/Object;" : isInt ? "I" : "";
    String hookType = "(" + (isStatic ? "" : "Ljava/lang/Object;") + valueType + "II)V";
    boolean isWide = sort == Type.LONG || sort == Type.DOUBLE;

    Code before = new Code();
    Code after = new Code();
    Code to = isWrite || value.isEmpty() ? before : after;
    if (isStatic) {
      if (!value.isEmpty()) {
        to.op(DUP);
      }
    } else if (isWrite) {
      if (!value.isEmpty()) {
        before.op(DUP2);
      } else if (isWide) {
        before.op(DUP2_X1).op(POP2).op(DUP_X2);
      } else {
        before.op(DUP2).op(POP);
      }
    } else {
      before.op(DUP);
      if (!value.isEmpty()) {
        after.op(DUP_X1);
      }
    }
    to.push(site).push(field).call("Accesses", hook, hookType);
    before.before(method, at);
    after.after(method, at);
  }

  /** Inserts the hook of an access to an element of an array. */
  private static void element(MethodNode method, AbstractInsnNode at, int site) {
    int opcode = at.getOpcode();
    Code code = new Code();
    if (opcode >= IALOAD && opcode <= SALOAD) {
      code.op(DUP2).push(site).call("Accesses", "readElement", "(Ljava/lang/Object;II)V");
    } else if (opcode >= IASTORE && opcode <= SASTORE) {
      boolean isWide = opcode == LASTORE || opcode == DASTORE;
      Type type = isWide ? (opcode == LASTORE ? Type.LONG_TYPE : Type.DOUBLE_TYPE) : stored(opcode);
      int value = method.maxLocals;
      method.maxLocals += type.getSize();
      code.load(type.getOpcode(ISTORE), value)
          .op(DUP2)
          .push(site)
          .call("Accesses", "writeElement", "(Ljava/lang/Object;II)V")
          .load(type.getOpcode(ILOAD), value);
    } else {
      return;
    }
    code.before(method, at);
  }

  private static Type stored(int opcode) {
    return switch (opcode) {
      case FASTORE -> Type.FLOAT_TYPE;
      case AASTORE -> Type.getObjectType("java/lang/Object");
      default -> Type.INT_TYPE;
    };
  }

  /** Inserts the hooks at the begin and the end of a function. */
  private void frame(MethodNode method, AbstractInsnNode[] code, int site) {
    if (code.length == 0) {
      return;
    }
    int function = Sites.function(label + "." + method.name, site, true);
    boolean isSynchronised = (method.access & ACC_SYNCHRONIZED) != 0;
    boolean isConstructor = method.name.equals("<init>");
    AbstractInsnNode last = method.instructions.getLast();
    for (AbstractInsnNode at : code) {
      if (Code.isReturn(at)) {
        leave(method, function, isSynchronised).before(method, at);
      }
    }
    Code enter = new Code().push(function).call("Calls", "enter", "(I)V");
    if (Unshadow.isOn() && isCallback(method.name)) {
      enter.push(function).call("SystemProcess", "reached", "(I)V");
    }
    if (isSynchronised) {
      monitor(method, enter).call("Locks", "locked", "(Ljava/lang/Object;)V");
    }
    AbstractInsnNode start = method.instructions.getFirst();
    if (!isConstructor) {
      // A constructor that fails is taken off the stack with its caller.
      Code failed = new Code().push(function).call("Calls", "leave", "(I)V");
      if (isSynchronised) {
        failed.call("Locks", "failed", "()V");
      }
      Code.onFailure(method, type.version, start, last, false, failed);
    }
    enter.atStart(method);
  }

  /** Methods that the framework calls have names like {@code onClick}. */
  private static boolean isCallback(String name) {
    return name.startsWith("on") && name.length() > 2 && Character.isUpperCase(name.charAt(2));
  }

  private Code leave(MethodNode method, int function, boolean isSynchronised) {
    Code code = new Code();
    if (isSynchronised) {
      monitor(method, code).call("Locks", "unlock", "(Ljava/lang/Object;)V");
    }
    return code.push(function).call("Calls", "leave", "(I)V");
  }

  /** Pushes the monitor of a synchronised method. */
  private Code monitor(MethodNode method, Code code) {
    if ((method.access & ACC_STATIC) == 0) {
      return code.load(ALOAD, 0);
    }
    code.list.add(new LdcInsnNode(Type.getObjectType(type.name)));
    return code;
  }
}
