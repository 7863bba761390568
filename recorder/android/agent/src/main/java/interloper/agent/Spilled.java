package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Type;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** A call whose receiver and arguments are kept in new variables, for hooks before and after it. */
final class Spilled {
  private final MethodNode method;
  private final MethodInsnNode call;
  private final Type[] types;
  private final int[] variables;
  private final int receiver;
  private final Code hookBefore = new Code();
  private final Code hookAfter = new Code();

  Spilled(MethodNode method, MethodInsnNode call) {
    this.method = method;
    this.call = call;
    types = Type.getArgumentTypes(call.desc);
    variables = new int[types.length];
    int next = method.maxLocals;
    receiver = next++;
    for (int i = 0; i < types.length; i++) {
      variables[i] = next;
      next += types[i].getSize();
    }
    method.maxLocals = next;
  }

  int receiver() {
    return receiver;
  }

  int argument(int index) {
    return variables[index];
  }

  Code before() {
    return hookBefore;
  }

  Code after() {
    return hookAfter;
  }

  void weave() {
    Code code = new Code();
    for (int i = types.length - 1; i >= 0; i--) {
      code.load(types[i].getOpcode(ISTORE), variables[i]);
    }
    code.op(DUP).load(ASTORE, receiver);
    code.list.add(hookBefore.list);
    for (int i = 0; i < types.length; i++) {
      code.load(types[i].getOpcode(ILOAD), variables[i]);
    }
    code.before(method, call);
    hookAfter.after(method, call);
  }
}
