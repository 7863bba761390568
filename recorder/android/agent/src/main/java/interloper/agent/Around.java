package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Puts the hooks {@code begin} and {@code end} around a call, also if it fails. */
final class Around {
  private Around() {}

  /** Passes the object on top of the stack, the last argument or the receiver, to {@code begin}. */
  static void weave(ClassNode type, MethodNode method, MethodInsnNode call, String owner) {
    new Code().op(DUP).call(owner, "begin", "(Ljava/lang/Object;)V").before(method, call);
    new Code().call(owner, "end", "()V").after(method, call);
    Code.onFailure(method, type.version, call, call, true, new Code().call(owner, "end", "()V"));
  }
}
