package interloper.agent;

import org.objectweb.asm.tree.ClassNode;

/** A kind of instrumentation. */
interface Hooks {
  /** Inserts calls of the runtime into a class. Returns whether anything has changed. */
  boolean weave(ClassNode type);
}
