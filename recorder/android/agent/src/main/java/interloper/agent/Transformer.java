package interloper.agent;

import interloper.runtime.AppClasses;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.ClassNode;

/**
 * Chooses the hooks for each class that the virtual machine loads. Classes of a sandbox arrive here
 * after Robolectric has transformed them.
 *
 * <p>A class that cannot be instrumented stays as it is, with a message.
 */
final class Transformer implements ClassFileTransformer {
  private final UserClasses users;

  Transformer(UserClasses users) {
    this.users = users;
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
    if (name == null || name.startsWith("interloper/")) {
      return null;
    }
    try {
      Hooks hooks = hooks(loader, name);
      if (hooks == null) {
        return null;
      }
      ClassNode node = new ClassNode();
      new ClassReader(bytes).accept(node, 0);
      if (!hooks.weave(node)) {
        return null;
      }
      ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      node.accept(writer);
      return writer.toByteArray();
    } catch (RuntimeException | LinkageError error) {
      System.err.println("interloper: " + name.replace('/', '.') + " is not recorded: " + error);
      return null;
    }
  }

  /** Returns what to insert into a class, or null. */
  private Hooks hooks(ClassLoader loader, String name) {
    if (loader == null) {
      return JdkHooks.isHooked(name) ? new JdkHooks() : null;
    }
    if (RunnerHooks.isHooked(name)) {
      return new RunnerHooks();
    }
    if (!isSandbox(loader)) {
      return null;
    }
    if (FrameworkHooks.isHooked(name)) {
      return new FrameworkHooks();
    }
    if (ListenerHooks.isHooked(name)) {
      return new ListenerHooks();
    }
    if (LoaderHooks.isHooked(name)) {
      return new LoaderHooks();
    }
    if (Unshadow.isHooked(name)) {
      return new Unshadow();
    }
    return users.contains(loader, name) ? new UserHooks(users) : null;
  }

  private static boolean isSandbox(ClassLoader loader) {
    if (loader instanceof AppClasses) {
      return true;
    }
    for (Class<?> type = loader.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals("org.robolectric.internal.bytecode.SandboxClassLoader")) {
        return true;
      }
    }
    return false;
  }
}
