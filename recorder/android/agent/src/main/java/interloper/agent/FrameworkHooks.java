package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import java.util.Set;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Hooks of Android's message queues, in the framework and in Robolectric's shadows.
 *
 * <p>Robolectric has moved the body of a method {@code m} of {@code a.B} to {@code $$robo$$a_B$m}.
 */
final class FrameworkHooks implements Hooks {
  private static final String QUEUE = "android/os/MessageQueue";
  private static final String MESSAGE = "android/os/Message";
  private static final String HANDLER = "android/os/Handler";
  private static final String LOOPER = "android/os/Looper";
  private static final String SERIAL = "android/os/AsyncTask$SerialExecutor";
  private static final String SERIAL_TASK = "android/os/AsyncTask$SerialExecutor$1";
  private static final String MANAGER = "android/os/TestLooperManager";
  private static final String SHADOW = "org/robolectric/shadows/ShadowPausedLooper";
  private static final Set<String> FRAMEWORK =
      Set.of(QUEUE, HANDLER, LOOPER, SERIAL, SERIAL_TASK, MANAGER);
  private static final String OBJECT = "Ljava/lang/Object;";

  private ClassNode type;

  static boolean isHooked(String name) {
    return FRAMEWORK.contains(name) || name.startsWith(SHADOW);
  }

  @Override
  public boolean weave(ClassNode of) {
    type = of;
    for (MethodNode method : type.methods) {
      if ((method.access & (ACC_ABSTRACT | ACC_NATIVE)) == 0) {
        switch (type.name) {
          case QUEUE -> queue(method);
          case HANDLER -> handler(method);
          case SERIAL -> serial(method);
          default -> {}
        }
        dispatches(method);
      }
    }
    return true;
  }

  private boolean isBody(MethodNode method, String name) {
    String moved = type.name.replace('/', '_').replace('$', '_');
    return method.name.equals("$$robo$$" + moved + "$" + name);
  }

  private void queue(MethodNode method) {
    if (isBody(method, "__constructor__")) {
      new Code().load(ALOAD, 0).call("Messages", "created", "(" + OBJECT + ")V").atStart(method);
    } else if (isBody(method, "enqueueMessage")) {
      enqueue(method);
    } else if (isBody(method, "postSyncBarrier") && method.desc.startsWith("(J)")) {
      for (AbstractInsnNode at : method.instructions.toArray()) {
        if (at.getOpcode() == IRETURN) {
          new Code()
              .load(ALOAD, 0)
              .call("Messages", "barrier", "(I" + OBJECT + ")I")
              .before(method, at);
        }
      }
    } else if (isBody(method, "removeSyncBarrier")) {
      new Code()
          .load(ALOAD, 0)
          .load(ILOAD, 1)
          .call("Messages", "removeBarrier", "(" + OBJECT + "I)V")
          .atStart(method);
    } else if (isBody(method, "addIdleHandler")) {
      new Code()
          .load(ALOAD, 0)
          .load(ALOAD, 1)
          .call("Messages", "addIdle", "(" + OBJECT + OBJECT + ")V")
          .atStart(method);
    } else if (isBody(method, "removeIdleHandler")) {
      new Code().load(ALOAD, 1).call("Messages", "removed", "(" + OBJECT + ")V").atStart(method);
    } else if (method.name.contains("$remove") || isBody(method, "quit")) {
      removals(method);
    }
  }

  private void enqueue(MethodNode method) {
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (at.getOpcode() == IRETURN) {
        new Code()
            .load(ALOAD, 1)
            .call("Messages", "enqueued", "(Z" + OBJECT + ")Z")
            .before(method, at);
      }
    }
    new Code()
        .load(ALOAD, 0)
        .load(ALOAD, 1)
        .load(LLOAD, 2)
        .load(ALOAD, 1)
        .invoke(INVOKEVIRTUAL, MESSAGE, "isAsynchronous", "()Z")
        .load(ALOAD, 1)
        .field(GETFIELD, MESSAGE, "target", "Landroid/os/Handler;")
        .load(ALOAD, 1)
        .field(GETFIELD, MESSAGE, "callback", "Ljava/lang/Runnable;")
        .load(ALOAD, 1)
        .field(GETFIELD, MESSAGE, "what", "I")
        .call("Messages", "enqueue", "(" + OBJECT + OBJECT + "JZ" + OBJECT + OBJECT + "I)V")
        .atStart(method);
  }

  /** Messages that are removed from a queue are recycled there. */
  private void removals(MethodNode method) {
    if (isBody(method, "removeMessages")) {
      boolean byCode = method.desc.startsWith("(Landroid/os/Handler;I");
      Code code = new Code().load(ALOAD, 1);
      if (byCode) {
        code.op(ACONST_NULL).load(ILOAD, 2);
      } else {
        code.load(ALOAD, 2).push(0);
      }
      code.call("Messages", "removing", "(" + OBJECT + OBJECT + "I)V").atStart(method);
    } else if (isBody(method, "removeCallbacksAndMessages")) {
      new Code()
          .load(ALOAD, 1)
          .load(ALOAD, 2)
          .call("Messages", "removingAll", "(" + OBJECT + OBJECT + ")V")
          .atStart(method);
    }
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (Code.isCall(at, "recycleUnchecked", "()V")) {
        new Code().op(DUP).call("Messages", "removed", "(" + OBJECT + ")V").before(method, at);
      }
    }
  }

  private void handler(MethodNode method) {
    if (isBody(method, "sendMessageDelayed")) {
      new Code()
          .load(ALOAD, 1)
          .load(LLOAD, 2)
          .call("Messages", "delayed", "(" + OBJECT + "J)V")
          .atStart(method);
    }
  }

  private void serial(MethodNode method) {
    if (isBody(method, "execute")) {
      new Code()
          .load(ALOAD, 0)
          .load(ALOAD, 1)
          .push(true)
          .call("Tasks", "post", "(" + OBJECT + OBJECT + "Z)V")
          .atStart(method);
    }
  }

  /** Calls that dispatch a message, an idle handler or a task. */
  private void dispatches(MethodNode method) {
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (!(at instanceof MethodInsnNode call)) {
        continue;
      }
      if (call.owner.equals(HANDLER) && call.name.equals("dispatchMessage")) {
        Around.weave(type, method, call, "Messages");
      } else if (call.name.equals("queueIdle") && !method.name.equals("queueIdle")) {
        idle(method, call);
      } else if (type.name.equals(SERIAL_TASK) && Code.isCall(call, "run", "()V")) {
        Around.weave(type, method, call, "Tasks");
      }
    }
  }

  /** An idle handler that fails is removed by its queue. */
  private void idle(MethodNode method, MethodInsnNode call) {
    int handler = method.maxLocals++;
    new Code()
        .op(DUP)
        .load(ASTORE, handler)
        .load(ALOAD, handler)
        .call("Messages", "beginIdle", "(" + OBJECT + ")V")
        .before(method, call);
    Code after = new Code().load(ALOAD, handler);
    if (type.name.equals(QUEUE)) {
      after.load(ALOAD, 0);
    } else {
      after
          .load(ALOAD, 0)
          .field(GETFIELD, SHADOW, "realLooper", "Landroid/os/Looper;")
          .invoke(INVOKEVIRTUAL, LOOPER, "getQueue", "()Landroid/os/MessageQueue;");
    }
    after.call("Messages", "endIdle", "(Z" + OBJECT + OBJECT + ")Z").after(method, call);
    Code failed = new Code().call("Messages", "end", "()V");
    Code.onFailure(method, type.version, call, call, true, failed);
  }
}
