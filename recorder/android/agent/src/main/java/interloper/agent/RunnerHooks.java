package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Hooks of Robolectric outside its sandboxes: where they are made, and where tests begin and end.
 */
final class RunnerHooks implements Hooks {
  private static final String LOADER = "org/robolectric/internal/bytecode/SandboxClassLoader";
  private static final String RUNNER = "org/robolectric/RobolectricTestRunner";
  private static final String JUNIT = "org/junit/runners/ParentRunner";
  private static final String METHOD = "org/junit/runners/model/FrameworkMethod";

  static boolean isHooked(String name) {
    return name.equals(LOADER) || name.equals(RUNNER) || name.equals(JUNIT);
  }

  @Override
  public boolean weave(ClassNode type) {
    boolean isWoven = false;
    for (MethodNode method : type.methods) {
      isWoven |= weave(type, method);
    }
    return isWoven;
  }

  private static boolean weave(ClassNode type, MethodNode method) {
    if (type.name.equals(LOADER) && method.name.equals("<init>")) {
      new Code().invoke(INVOKESTATIC, "interloper/agent/Agent", "activate", "()V").atStart(method);
      return true;
    }
    if (type.name.equals(RUNNER) && method.name.equals("beforeTest")) {
      int framework = Code.argument(method, 1);
      new Code()
          .load(ALOAD, 0)
          .invoke(INVOKEVIRTUAL, RUNNER, "getTestClass", "()Lorg/junit/runners/model/TestClass;")
          .invoke(
              INVOKEVIRTUAL,
              "org/junit/runners/model/TestClass",
              "getJavaClass",
              "()Ljava/lang/Class;")
          .load(ALOAD, framework)
          .invoke(INVOKEVIRTUAL, METHOD, "getName", "()Ljava/lang/String;")
          .call("Tests", "begin", "(Ljava/lang/Class;Ljava/lang/String;)V")
          .atStart(method);
      return true;
    }
    if (type.name.equals(RUNNER) && method.name.equals("finallyAfterTest")) {
      atReturns(method, "end");
      return true;
    }
    if (type.name.equals(JUNIT) && method.name.equals("afterClass")) {
      atReturns(method, "endClass");
      return true;
    }
    return false;
  }

  private static void atReturns(MethodNode method, String hook) {
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (Code.isReturn(at)) {
        new Code().call("Tests", hook, "()V").before(method, at);
      }
    }
  }
}
