package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import java.util.Set;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Lets Robolectric find the classes of a whole app in their own loader. */
final class LoaderHooks implements Hooks {
  private static final String SHADOWS = "org/robolectric/shadows/";
  private static final Set<String> SOURCES =
      Set.of(SHADOWS + "ShadowContextImpl", SHADOWS + "ShadowLoadedApk");
  private static final Set<String> SEARCHERS =
      Set.of(
          SHADOWS + "ClassNameResolver", "org/robolectric/android/internal/AndroidTestEnvironment");
  private static final Set<String> LOADERS = Set.of("getClassLoader", "getSplitClassLoader");
  private static final String LOADER = "Ljava/lang/ClassLoader;";

  static boolean isHooked(String name) {
    return Unshadow.isOn() && (SOURCES.contains(name) || SEARCHERS.contains(name));
  }

  @Override
  public boolean weave(ClassNode type) {
    for (MethodNode method : type.methods) {
      for (AbstractInsnNode at : method.instructions.toArray()) {
        boolean returnsLoader =
            at.getOpcode() == ARETURN
                && LOADERS.contains(method.name)
                && method.desc.endsWith(")" + LOADER);
        if (returnsLoader) {
          new Code().call("AppClasses", "loader", "(" + LOADER + ")" + LOADER).before(method, at);
        } else if (SEARCHERS.contains(type.name)
            && Code.isCall(at, "forName", "(Ljava/lang/String;)Ljava/lang/Class;")) {
          MethodInsnNode call = (MethodInsnNode) at;
          call.owner = "interloper/runtime/AppClasses";
          call.name = "named";
        }
      }
    }
    return true;
  }
}
