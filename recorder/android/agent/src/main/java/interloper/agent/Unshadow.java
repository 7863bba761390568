package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Lets Android's own code run where a shadow of Robolectric would take its place.
 *
 * <p>Shadows are made for tests: they note that a service was started instead of starting it, or
 * run at once what Android runs later. A whole app needs Android's own order, so these methods call
 * the body that Robolectric has moved away. What they then ask the system for, the driver answers.
 */
final class Unshadow implements Hooks {
  private static final String ALL = "*";

  private static final Map<String, Set<String>> DIRECT =
      Map.of(
          "android/app/ContextImpl",
          Set.of(
              "sendBroadcast",
              "sendBroadcastAsUser",
              "sendOrderedBroadcast",
              "sendOrderedBroadcastAsUser",
              "sendStickyBroadcast",
              "registerReceiver",
              "registerReceiverAsUser",
              "unregisterReceiver",
              "startService",
              "startServiceAsUser",
              "startForegroundService",
              "stopService",
              "bindService",
              "bindServiceAsUser",
              "unbindService",
              "startActivityAsUser",
              "validateServiceIntent"),
          "android/app/Instrumentation",
          Set.of("execStartActivity", "execStartActivities"),
          "android/app/Activity",
          Set.of(
              "dismissDialog",
              "findViewById",
              "finish",
              "finishAffinity",
              "finishAndRemoveTask",
              "getCallingActivity",
              "getCallingPackage",
              "getCurrentFocus",
              "getLastNonConfigurationInstance",
              "getParent",
              "getTaskId",
              "isTaskRoot",
              "moveTaskToBack",
              "onBackPressed",
              "onCreateOptionsMenu",
              "recreate",
              "removeDialog",
              "setResult",
              "showDialog",
              "startManagingCursor",
              "stopManagingCursor"),
          "android/app/Service",
          Set.of("stopSelf", "stopSelfResult"),
          "android/content/AsyncQueryHandler",
          Set.of(ALL),
          "android/os/CountDownTimer",
          Set.of(ALL),
          "android/app/ActivityManager",
          Set.of("getService"),
          "android/app/ActivityTaskManager",
          Set.of("getService"));

  /** Reports to the system that fail in Robolectric's resources, and that nobody needs. */
  private static final Map<String, Set<String>> EMPTY =
      Map.of("android/app/ActivityThread", Set.of("reportSizeConfigurations"));

  private static volatile boolean isOn;

  static void activate() {
    isOn = true;
  }

  static boolean isOn() {
    return isOn;
  }

  static boolean isHooked(String name) {
    return isOn && (DIRECT.containsKey(name) || EMPTY.containsKey(name));
  }

  @Override
  public boolean weave(ClassNode type) {
    Set<String> direct = DIRECT.getOrDefault(type.name, Set.of());
    Set<String> empty = EMPTY.getOrDefault(type.name, Set.of());
    String prefix = "$$robo$$" + type.name.replace('/', '_').replace('$', '_') + "$";
    for (MethodNode method : type.methods) {
      boolean isPlain = !method.name.contains("$$") && !method.name.startsWith("<");
      isPlain &= (method.access & (ACC_ABSTRACT | ACC_NATIVE)) == 0;
      boolean isAll = direct.contains(ALL) && !method.name.startsWith("__static");
      if (isPlain && (direct.contains(method.name) || isAll)) {
        callBody(type, method, prefix);
      } else if (isAll && method.name.equals("<init>")) {
        callConstructor(type, method, prefix);
      } else if (isPlain && empty.contains(method.name) && method.desc.endsWith(")V")) {
        clear(method);
        method.instructions.add(new InsnNode(RETURN));
      }
    }
    return true;
  }

  private static void clear(MethodNode method) {
    method.instructions.clear();
    method.tryCatchBlocks.clear();
    method.localVariables = null;
    method.visibleLocalVariableAnnotations = null;
    method.invisibleLocalVariableAnnotations = null;
  }

  /** Replaces the code that asks for a shadow by a call of the moved body. */
  private static void callBody(ClassNode type, MethodNode method, String prefix) {
    boolean hasBody =
        type.methods.stream()
            .anyMatch(m -> m.name.equals(prefix + method.name) && m.desc.equals(method.desc));
    if (!hasBody) {
      return;
    }
    clear(method);
    boolean isStatic = (method.access & ACC_STATIC) != 0;
    Code code = new Code();
    if (!isStatic) {
      code.load(ALOAD, 0);
    }
    Type[] arguments = Type.getArgumentTypes(method.desc);
    for (int i = 0; i < arguments.length; i++) {
      code.load(arguments[i].getOpcode(ILOAD), Code.argument(method, i));
    }
    int opcode = isStatic ? INVOKESTATIC : INVOKESPECIAL;
    code.invoke(opcode, type.name, prefix + method.name, method.desc)
        .op(Type.getReturnType(method.desc).getOpcode(IRETURN));
    method.instructions.add(code.list);
  }

  private static void callConstructor(ClassNode type, MethodNode method, String prefix) {
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (at instanceof InvokeDynamicInsnNode call && call.name.equals("__constructor__")) {
        String moved = prefix + "__constructor__";
        method.instructions.set(
            at, new MethodInsnNode(INVOKESPECIAL, type.name, moved, method.desc, false));
      }
    }
  }
}
