package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import interloper.runtime.Sites;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/** Hooks of calls that the program makes to the class library and to the framework. */
final class CallHooks {
  private static final String OBJECT = "(Ljava/lang/Object;)V";
  private static final String LOCKS = "java/util/concurrent/locks/";
  private static final Set<String> WAITS = Set.of("()V", "(J)V", "(JI)V");
  private static final Map<String, Integer> FUNCTIONS = new HashMap<>();

  private CallHooks() {}

  /** Inserts the hooks of a call, if it has any. */
  static void weave(MethodNode method, MethodInsnNode call, int site) {
    if (call.getOpcode() == INVOKESTATIC) {
      if (call.name.startsWith("access$")) {
        new Code().push(site).call("Calls", "at", "(I)V").before(method, call);
      } else if (call.name.equals("sleep") && call.desc.equals("(J)V") && Unshadow.isOn()) {
        sleep(call);
      } else if (Unshadow.isOn()) {
        end(call);
      }
    } else if (call.owner.equals("java/lang/Runtime") && Unshadow.isOn()) {
      end(call);
    } else if (call.getOpcode() == INVOKESPECIAL) {
      return;
    } else if (call.owner.startsWith(LOCKS)) {
      lock(method, call);
    } else if (call.name.equals("wait") && WAITS.contains(call.desc)) {
      Spilled at = new Spilled(method, call);
      at.before().load(ALOAD, at.receiver()).call("Locks", "waiting", OBJECT);
      at.after().load(ALOAD, at.receiver()).call("Locks", "waited", OBJECT);
      at.weave();
    } else if (call.name.startsWith("notify") && call.desc.equals("()V")) {
      if (call.name.equals("notify") || call.name.equals("notifyAll")) {
        new Code().op(DUP).call("Signals", "release", OBJECT).before(method, call);
      }
    } else if (Effects.isHandOff(call.owner)) {
      handOff(method, call);
    } else {
      effect(method, call, site);
    }
  }

  /** In a whole app, time is virtual. */
  private static void sleep(MethodInsnNode call) {
    boolean isThread = call.owner.equals("java/lang/Thread");
    if (isThread || call.owner.equals("android/os/SystemClock")) {
      call.owner = "interloper/runtime/VirtualTime";
      call.name = isThread ? "sleep" : "sleepThrough";
    }
  }

  /** A whole app that ends its process must not end the driver. */
  private static void end(MethodInsnNode call) {
    boolean isExit = call.name.equals("exit") || call.name.equals("halt");
    if (isExit && call.owner.equals("java/lang/Runtime") && call.desc.equals("(I)V")) {
      call.setOpcode(INVOKESTATIC);
      call.owner = "interloper/runtime/SystemProcess";
      call.name = "exit";
      call.desc = "(Ljava/lang/Runtime;I)V";
    } else if (isExit && call.owner.equals("java/lang/System")
        || call.name.equals("killProcess") && call.owner.equals("android/os/Process")) {
      call.owner = "interloper/runtime/SystemProcess";
    }
  }

  private static void lock(MethodNode method, MethodInsnNode call) {
    Spilled at = new Spilled(method, call);
    switch (call.name) {
      case "lock", "lockInterruptibly" ->
          at.after().load(ALOAD, at.receiver()).call("Locks", "locked", OBJECT);
      case "tryLock" ->
          at.after().load(ALOAD, at.receiver()).call("Locks", "locked", "(ZLjava/lang/Object;)Z");
      case "unlock" -> at.before().load(ALOAD, at.receiver()).call("Locks", "unlock", OBJECT);
      case "readLock", "writeLock", "newCondition" -> {
        part(method, call);
        return;
      }
      case "await", "awaitNanos", "awaitUntil", "awaitUninterruptibly" -> {
        at.before().load(ALOAD, at.receiver()).call("Locks", "waiting", OBJECT);
        at.after().load(ALOAD, at.receiver()).call("Locks", "waited", OBJECT);
      }
      case "signal", "signalAll" ->
          at.before().load(ALOAD, at.receiver()).call("Signals", "release", OBJECT);
      default -> {
        return;
      }
    }
    at.weave();
  }

  /**
   * Queues between threads order what was done before an element was put in and after it is out.
   */
  private static void handOff(MethodNode method, MethodInsnNode call) {
    Type[] arguments = Type.getArgumentTypes(call.desc);
    if (Effects.isPut(call.name) && arguments.length > 0) {
      Spilled at = new Spilled(method, call);
      at.before().load(ALOAD, at.argument(0)).call("Signals", "release", OBJECT);
      at.weave();
    } else if (Effects.isTake(call.name) && call.desc.endsWith(")Ljava/lang/Object;")) {
      new Code()
          .call("Signals", "taken", "(Ljava/lang/Object;)Ljava/lang/Object;")
          .after(method, call);
    }
  }

  private static void effect(MethodNode method, MethodInsnNode call, int site) {
    if (call.owner.equals(Effects.PREFERENCES) && call.name.equals("edit")) {
      // What is done to the editor is done to the preferences.
      part(method, call);
      return;
    }
    Effects.Effect effect = Effects.of(call.owner, call.name);
    if (effect == null) {
      return;
    }
    Spilled at = new Spilled(method, call);
    Type[] arguments = Type.getArgumentTypes(call.desc);
    boolean hasKey = effect.isKeyed() && arguments.length > 0;
    hasKey = hasKey && arguments[0].getSort() == Type.OBJECT;
    at.before().load(ALOAD, at.receiver());
    if (hasKey) {
      at.before().load(ALOAD, at.argument(0)).push(effect.isStored());
    }
    String key = hasKey ? "Ljava/lang/Object;Z" : "";
    at.before()
        .push(effect.isWrite())
        .push(site)
        .push(function(effect.family() + "." + call.name))
        .call("Containers", "access", "(Ljava/lang/Object;" + key + "ZII)V");
    at.weave();
  }

  private static void part(MethodNode method, MethodInsnNode call) {
    Spilled at = new Spilled(method, call);
    at.after()
        .load(ALOAD, at.receiver())
        .call("Locks", "part", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");
    String type = Type.getReturnType(call.desc).getInternalName();
    at.after().list.add(new TypeInsnNode(CHECKCAST, type));
    at.weave();
  }

  private static synchronized int function(String name) {
    return FUNCTIONS.computeIfAbsent(name, n -> Sites.function(n, Sites.CALLER, false));
  }
}
