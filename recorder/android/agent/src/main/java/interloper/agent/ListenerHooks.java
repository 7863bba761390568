package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Hooks of views that have listeners: where one is set, and where it is called. */
final class ListenerHooks implements Hooks {
  private static final Set<String> VIEWS =
      Set.of("android/view/View", "android/widget/AdapterView", "android/widget/CompoundButton");
  private static final String HOOKED = "(Ljava/lang/Object;Ljava/lang/Object;)V";

  static boolean isHooked(String name) {
    return VIEWS.contains(name);
  }

  @Override
  public boolean weave(ClassNode type) {
    for (MethodNode method : type.methods) {
      boolean isBody = method.name.startsWith("$$robo$$") && (method.access & ACC_STATIC) == 0;
      if (isBody && (method.access & (ACC_ABSTRACT | ACC_NATIVE)) == 0) {
        weave(method);
      }
    }
    return true;
  }

  private static void weave(MethodNode method) {
    String name = method.name.substring(method.name.lastIndexOf('$') + 1);
    Type[] arguments = Type.getArgumentTypes(method.desc);
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (at instanceof MethodInsnNode call && isListener(call)) {
        invoke(method, call);
      }
    }
    if (name.startsWith("setOn") && name.endsWith("Listener") && arguments.length == 1) {
      new Code()
          .load(ALOAD, 1)
          .load(ALOAD, 0)
          .call("Callbacks", "register", HOOKED)
          .atStart(method);
    }
  }

  private static boolean isListener(MethodInsnNode call) {
    String type = call.owner.substring(call.owner.lastIndexOf('$') + 1);
    return call.getOpcode() == INVOKEINTERFACE
        && type.startsWith("On")
        && type.endsWith("Listener");
  }

  /** The receiver of the call stands below its arguments. */
  private static void invoke(MethodNode method, MethodInsnNode call) {
    Spilled at = new Spilled(method, call);
    at.before().load(ALOAD, at.receiver()).load(ALOAD, 0).call("Callbacks", "invoke", HOOKED);
    at.weave();
  }
}
