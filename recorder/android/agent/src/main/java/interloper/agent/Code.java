package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * A sequence of instructions to insert.
 *
 * <p>Inserted code has no branches, so the frames of the method stay right. New local variables are
 * written and read without a frame in between.
 */
final class Code {
  private static final String RUNTIME = "interloper/runtime/";

  final InsnList list = new InsnList();

  Code op(int opcode) {
    list.add(new InsnNode(opcode));
    return this;
  }

  Code load(int opcode, int variable) {
    list.add(new VarInsnNode(opcode, variable));
    return this;
  }

  Code field(int opcode, String owner, String name, String type) {
    list.add(new FieldInsnNode(opcode, owner, name, type));
    return this;
  }

  Code invoke(int opcode, String owner, String name, String type) {
    list.add(new MethodInsnNode(opcode, owner, name, type, false));
    return this;
  }

  /** Calls a hook of the runtime. */
  Code call(String owner, String name, String type) {
    return invoke(INVOKESTATIC, RUNTIME + owner, name, type);
  }

  Code push(int number) {
    if (number >= -1 && number <= 5) {
      return op(ICONST_0 + number);
    }
    list.add(number == (short) number ? new IntInsnNode(SIPUSH, number) : new LdcInsnNode(number));
    return this;
  }

  Code push(boolean value) {
    return op(value ? ICONST_1 : ICONST_0);
  }

  Code push(String text) {
    list.add(new LdcInsnNode(text));
    return this;
  }

  void atStart(MethodNode method) {
    method.instructions.insert(list);
  }

  void before(MethodNode method, AbstractInsnNode at) {
    method.instructions.insertBefore(at, list);
  }

  void after(MethodNode method, AbstractInsnNode at) {
    method.instructions.insert(at, list);
  }

  /** Pushes the arguments of a method, as its caller passed them. */
  static int argument(MethodNode method, int index) {
    int at = (method.access & ACC_STATIC) == 0 ? 1 : 0;
    Type[] types = Type.getArgumentTypes(method.desc);
    for (int i = 0; i < index; i++) {
      at += types[i].getSize();
    }
    return at;
  }

  static boolean isReturn(AbstractInsnNode at) {
    return at.getOpcode() >= IRETURN && at.getOpcode() <= RETURN;
  }

  static boolean isCall(AbstractInsnNode at, String name, String type) {
    return at instanceof MethodInsnNode call && call.name.equals(name) && call.desc.equals(type);
  }

  /**
   * Runs code if an instruction fails. The failure goes on afterwards.
   *
   * @param isFirst whether this comes before the handlers that the method has
   */
  static void onFailure(
      MethodNode method,
      int version,
      AbstractInsnNode first,
      AbstractInsnNode last,
      boolean isFirst,
      Code code) {
    LabelNode start = new LabelNode();
    LabelNode end = new LabelNode();
    LabelNode handler = new LabelNode();
    method.instructions.insertBefore(first, start);
    method.instructions.insert(last, end);
    method.instructions.add(handler);
    if ((version & 0xFFFF) >= V1_6) {
      // The handler uses no variable, so none is declared.
      Object[] stack = {"java/lang/Throwable"};
      method.instructions.add(new FrameNode(F_FULL, 0, new Object[0], 1, stack));
    }
    method.instructions.add(code.list);
    method.instructions.add(new InsnNode(ATHROW));
    TryCatchBlockNode block = new TryCatchBlockNode(start, end, handler, null);
    method.tryCatchBlocks.add(isFirst ? 0 : method.tryCatchBlocks.size(), block);
  }
}
