package interloper.agent;

import static org.objectweb.asm.Opcodes.*;

import java.util.Set;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Hooks of the class library: threads, pools, timers, and what threads wait for each other with.
 *
 * <p>These classes are loaded already and are transformed again, so only bodies change. A method
 * that a version of the class library does not have has no hook there.
 */
final class JdkHooks implements Hooks {
  private static final String CONCURRENT = "java/util/concurrent/";
  private static final String THREAD = "java/lang/Thread";
  private static final String POOL = CONCURRENT + "ThreadPoolExecutor";
  private static final String SCHEDULED = CONCURRENT + "ScheduledThreadPoolExecutor";
  private static final String FORK_JOIN = CONCURRENT + "ForkJoinPool";
  private static final String FORK_JOIN_TASK = CONCURRENT + "ForkJoinTask";
  private static final String FUTURE = CONCURRENT + "FutureTask";
  private static final String COMPLETABLE = CONCURRENT + "CompletableFuture";
  private static final String LATCH = CONCURRENT + "CountDownLatch";
  private static final String SEMAPHORE = CONCURRENT + "Semaphore";
  private static final String BARRIER = CONCURRENT + "CyclicBarrier";
  private static final String TIMER = "java/util/Timer";
  private static final String TIMER_THREAD = "java/util/TimerThread";
  private static final Set<String> HOOKED =
      Set.of(
          THREAD,
          POOL,
          SCHEDULED,
          FORK_JOIN,
          FORK_JOIN_TASK,
          FUTURE,
          COMPLETABLE,
          LATCH,
          SEMAPHORE,
          BARRIER,
          TIMER,
          TIMER_THREAD);
  private static final Set<String> COMPLETIONS =
      Set.of(
          "completeNull",
          "completeValue",
          "completeThrowable",
          "completeRelay",
          "complete",
          "completeExceptionally",
          "cancel",
          "internalComplete");
  private static final Set<String> RESULTS = Set.of("get", "join", "getNow");

  private static volatile boolean isActive;

  /** From now on, classes of the class library are transformed. */
  static void activate() {
    isActive = true;
  }

  static boolean isHooked(String name) {
    return isActive && HOOKED.contains(name);
  }

  @Override
  public boolean weave(ClassNode type) {
    for (MethodNode method : type.methods) {
      if ((method.access & (ACC_ABSTRACT | ACC_NATIVE)) == 0) {
        switch (type.name) {
          case THREAD -> thread(method);
          case POOL, SCHEDULED -> pool(type, method);
          case FORK_JOIN, FORK_JOIN_TASK -> forkJoin(type, method);
          case FUTURE -> future(method);
          case COMPLETABLE -> completable(method);
          case LATCH, SEMAPHORE, BARRIER -> synchroniser(type, method);
          default -> timer(type, method);
        }
      }
    }
    return true;
  }

  private static void thread(MethodNode method) {
    String hooked = "(Ljava/lang/Thread;)V";
    if (is(method, "start", "()V")) {
      new Code().load(ALOAD, 0).call("Threads", "fork", hooked).atStart(method);
    } else if (is(method, "exit", "()V")) {
      new Code().load(ALOAD, 0).call("Threads", "exit", hooked).atStart(method);
    } else if (is(method, "join", "(J)V")) {
      for (AbstractInsnNode at : method.instructions.toArray()) {
        if (at.getOpcode() == RETURN) {
          new Code().load(ALOAD, 0).call("Threads", "joined", hooked).before(method, at);
        }
      }
    }
  }

  private static void pool(ClassNode type, MethodNode method) {
    if (type.name.equals(POOL) && is(method, "execute", "(Ljava/lang/Runnable;)V")) {
      new Code()
          .load(ALOAD, 0)
          .load(ALOAD, 1)
          .call("Pools", "execute", "(L" + POOL + ";Ljava/lang/Runnable;)V")
          .atStart(method);
    } else if (type.name.equals(POOL) && method.name.equals("runWorker")) {
      runs(type, method, "java/lang/Runnable");
    } else if (method.name.equals("delayedExecute") || method.name.equals("reExecutePeriodic")) {
      new Code()
          .load(ALOAD, 0)
          .load(ALOAD, 1)
          .call(
              "Pools",
              "schedule",
              "(L" + SCHEDULED + ";L" + CONCURRENT + "RunnableScheduledFuture;)V")
          .atStart(method);
    }
  }

  private static void runs(ClassNode type, MethodNode method, String owner) {
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (Code.isCall(at, "run", "()V") && ((MethodInsnNode) at).owner.equals(owner)) {
        Around.weave(type, method, (MethodInsnNode) at, "Tasks");
      }
    }
  }

  private static void forkJoin(ClassNode type, MethodNode method) {
    if (type.name.equals(FORK_JOIN) && method.name.equals("externalSubmit")) {
      new Code()
          .load(ALOAD, 0)
          .load(ALOAD, 1)
          .push(false)
          .call("Tasks", "post", "(Ljava/lang/Object;Ljava/lang/Object;Z)V")
          .atStart(method);
    } else if (type.name.equals(FORK_JOIN_TASK) && is(method, "doExec", "()I")) {
      for (AbstractInsnNode at : method.instructions.toArray()) {
        if (Code.isCall(at, "exec", "()Z")) {
          Around.weave(type, method, (MethodInsnNode) at, "Tasks");
        }
      }
    }
  }

  private static void future(MethodNode method) {
    switch (method.name) {
      case "set", "setException", "cancel" -> release(method);
      case "get" -> acquire(method);
      default -> {}
    }
  }

  private static void completable(MethodNode method) {
    boolean isStatic = (method.access & ACC_STATIC) != 0;
    if (!isStatic && COMPLETIONS.contains(method.name)) {
      release(method);
    } else if (!isStatic && RESULTS.contains(method.name)) {
      acquire(method);
    } else if (!isStatic && method.name.endsWith("Stage")) {
      // A stage that is added to a complete future runs at once.
      acquireIfDone().atStart(method);
    } else if (!isStatic && method.name.endsWith("push")) {
      // It runs at once, too, if the future completes while the stage is added.
      for (AbstractInsnNode at : method.instructions.toArray()) {
        if (Code.isCall(at, "tryFire", "(I)L" + COMPLETABLE + ";")) {
          acquireIfDone().before(method, at);
        }
      }
    }
  }

  private static Code acquireIfDone() {
    return new Code()
        .load(ALOAD, 0)
        .invoke(INVOKEVIRTUAL, COMPLETABLE, "isDone", "()Z")
        .load(ALOAD, 0)
        .call("Signals", "acquire", "(ZLjava/lang/Object;)Z")
        .op(POP);
  }

  private static void synchroniser(ClassNode type, MethodNode method) {
    switch (method.name) {
      case "countDown", "release" -> release(method);
      case "await", "acquire", "acquireUninterruptibly", "tryAcquire" -> {
        if (!type.name.equals(BARRIER)) {
          acquire(method);
        }
      }
      case "dowait" -> {
        acquire(method);
        release(method);
      }
      default -> {}
    }
  }

  private static void timer(ClassNode type, MethodNode method) {
    if (type.name.equals(TIMER) && method.name.equals("sched")) {
      new Code()
          .load(ALOAD, 0)
          .load(ALOAD, 1)
          .load(LLOAD, 2)
          .call("Tasks", "schedule", "(Ljava/lang/Object;Ljava/lang/Object;J)V")
          .atStart(method);
    } else if (type.name.equals(TIMER_THREAD) && method.name.equals("mainLoop")) {
      for (AbstractInsnNode at : method.instructions.toArray()) {
        if (Code.isCall(at, "run", "()V")) {
          int task = method.maxLocals++;
          new Code().op(DUP).load(ASTORE, task).before(method, at);
          Around.weave(type, method, (MethodInsnNode) at, "Tasks");
          new Code()
              .load(ALOAD, task)
              .load(ALOAD, task)
              .field(GETFIELD, "java/util/TimerTask", "period", "J")
              .call("Tasks", "repeat", "(Ljava/lang/Object;J)V")
              .after(method, at);
        }
      }
    }
  }

  private static boolean is(MethodNode method, String name, String type) {
    return method.name.equals(name) && method.desc.equals(type);
  }

  private static void release(MethodNode method) {
    new Code().load(ALOAD, 0).call("Signals", "release", "(Ljava/lang/Object;)V").atStart(method);
  }

  /** A result of false means that the time was over first. */
  private static void acquire(MethodNode method) {
    boolean mayFail = method.desc.endsWith(")Z");
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (Code.isReturn(at)) {
        new Code()
            .load(ALOAD, 0)
            .call(
                "Signals", "acquire", mayFail ? "(ZLjava/lang/Object;)Z" : "(Ljava/lang/Object;)V")
            .before(method, at);
      }
    }
  }
}
