package interloper.robust.code;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * Adds the hooks to one method: before accesses of fields and elements, in place of monitor instructions,
 * first in handlers, in each round of a loop, and around calls of the library ({@link Bridges}).
 */
final class MethodCode extends CodeVisitor {
    private static final String ON_OBJECT = "(Ljava/lang/Object;I)V";
    private static final String ON_ELEMENT = "(Ljava/lang/Object;II)V";

    private final Instrumenter type;
    private final String method;
    private int line;
    /** The labels that were passed, in order: a jump to one of them closes a loop. */
    private final Map<Label, Integer> passed = new HashMap<>();
    /** The handlers' ranges, which are written when the order of all labels is known. */
    private final List<Block> blocks = new ArrayList<>();
    private final Set<Label> handlers = new HashSet<>();
    private boolean atHandler;
    /** Whether the superclass's constructor has been called; until then `this` cannot be passed on. */
    private boolean constructed;
    /** The objects that were created and not yet constructed: whether each was duplicated at once, as compilers do. */
    private final List<Boolean> created = new ArrayList<>();
    private boolean atNew;

    MethodCode(Instrumenter type, MethodVisitor out, String method) {
        super(out);
        this.type = type;
        this.method = method;
        constructed = !method.equals("<init>");
    }

    private Site site(String what, int field, boolean write) {
        return type.site(method, line, what, field, write);
    }

    private void hook(String name, String descriptor) {
        mv.visitMethodInsn(INVOKESTATIC, Instrumenter.HOOKS, name, descriptor, false);
    }

    @Override
    void before() {
        type.counts.instructions.incrementAndGet();
        atNew = false;
        if (atHandler) {
            atHandler = false;
            mv.visitInsn(DUP);
            hook("caught", "(Ljava/lang/Throwable;)V");
        }
    }

    private record Block(Label start, Label end, Label handler, String caught) {}

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String caught) {
        blocks.add(new Block(start, end, handler, caught));
        if (caught == null || caught.equals("java/lang/Throwable") || caught.equals("java/lang/Error")) {
            handlers.add(handler);
        }
    }

    /** A handler that releases a monitor guards itself, too. It would catch a signal for ever. */
    @Override
    public void visitMaxs(int stack, int locals) {
        for (Block block : blocks) {
            int from = passed.get(block.start);
            int handler = passed.get(block.handler);
            boolean guardsItself = from <= handler && handler < passed.get(block.end);
            Label end = guardsItself ? block.handler : block.end;
            if (block.start != end) {
                super.visitTryCatchBlock(block.start, end, block.handler, block.caught);
            }
        }
        super.visitMaxs(stack, locals);
    }

    @Override
    public void visitLabel(Label label) {
        super.visitLabel(label);
        passed.put(label, passed.size());
        atHandler |= handlers.contains(label);
    }

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
        super.visitLineNumber(number, start);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        if (passed.containsKey(label)) {
            before();
            mv.visitLdcInsn(site("loop", 0, false).id);
            hook("round", "(I)V");
        }
        super.visitJumpInsn(opcode, label);
    }

    @Override
    public void visitTypeInsn(int opcode, String name) {
        super.visitTypeInsn(opcode, name);
        if (opcode == NEW) {
            created.add(false);
            atNew = true;
        } else if (opcode == ANEWARRAY) {
            created();
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        super.visitIntInsn(opcode, operand);
        if (opcode == NEWARRAY) {
            created();
        }
    }

    /** Reports the object on the top of the stack as new. */
    private void created() {
        mv.visitInsn(DUP);
        hook("created", "(Ljava/lang/Object;)V");
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        before();
        boolean write = opcode == PUTFIELD || opcode == PUTSTATIC;
        String declaring = type.hierarchy.fieldOwner(owner, name);
        boolean ignored = !constructed && (opcode == PUTFIELD || opcode == GETFIELD) || name.startsWith("this$")
                || ClassPath.isOfLibrary(declaring) || type.hierarchy.isFinal(declaring, name);
        if (!ignored) {
            int field = Sites.field(declaring, name);
            int id = site(Instrumenter.simple(declaring) + "." + name, field, write).id;
            type.counts.accesses.incrementAndGet();
            boolean wide = Type.getType(descriptor).getSize() == 2;
            switch (opcode) {
                case GETSTATIC, PUTSTATIC -> {
                    mv.visitLdcInsn(id);
                    hook("global", "(I)V");
                }
                case GETFIELD -> {
                    mv.visitInsn(DUP);
                    mv.visitLdcInsn(id);
                    hook("field", ON_OBJECT);
                }
                default -> beforePutField(id, wide);
            }
        }
        mv.visitFieldInsn(opcode, owner, name, descriptor);
    }

    private void beforePutField(int id, boolean wide) {
        if (wide) {
            mv.visitInsn(DUP2_X1);
            mv.visitInsn(POP2);
            mv.visitInsn(DUP);
            mv.visitLdcInsn(id);
            hook("field", ON_OBJECT);
            mv.visitInsn(DUP_X2);
            mv.visitInsn(POP);
        } else {
            mv.visitInsn(DUP2);
            mv.visitInsn(POP);
            mv.visitLdcInsn(id);
            hook("field", ON_OBJECT);
        }
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == DUP && atNew) {
            created.set(created.size() - 1, true);
        }
        before();
        if (opcode == MONITORENTER) {
            mv.visitLdcInsn(site("monitor", Sites.MONITOR, true).id);
            hook("enter", ON_OBJECT);
            return;
        }
        if (opcode == MONITOREXIT) {
            hook("exit", "(Ljava/lang/Object;)V");
            return;
        }
        if (opcode >= IALOAD && opcode <= SALOAD) {
            mv.visitInsn(DUP2);
            element(opcode - IALOAD, false);
        } else if (opcode == LASTORE || opcode == DASTORE) {
            mv.visitInsn(DUP2_X2);
            mv.visitInsn(POP2);
            mv.visitInsn(DUP2);
            element(opcode - IASTORE, true);
            mv.visitInsn(DUP2_X2);
            mv.visitInsn(POP2);
        } else if (opcode >= IASTORE && opcode <= SASTORE) {
            mv.visitInsn(DUP_X2);
            mv.visitInsn(POP);
            mv.visitInsn(DUP2);
            element(opcode - IASTORE, true);
            mv.visitInsn(DUP2_X1);
            mv.visitInsn(POP2);
        }
        mv.visitInsn(opcode);
    }

    private void element(int kind, boolean write) {
        String[] names = {"int", "long", "float", "double", "Object", "byte", "char", "short"};
        type.counts.accesses.incrementAndGet();
        mv.visitLdcInsn(site(names[kind] + "[]", Sites.ELEMENTS, write).id);
        hook("element", ON_ELEMENT);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        before();
        if (name.equals("<init>")) {
            constructor(opcode, owner, descriptor);
            return;
        }
        if (opcode == INVOKESPECIAL && owner.equals("java/lang/Object") && !name.startsWith("notify")) {
            ofObject(name, descriptor);
            return;
        }
        Bridges.Target bridge = type.bridges.to(opcode, owner, name, descriptor, isInterface, method, line);
        if (bridge == null) {
            mv.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        } else if (opcode == INVOKESPECIAL) {
            // A call of a method of the superclass cannot be made from another method. Its receiver is `this`.
            Bridges.unmodelled(mv, bridge.call());
            if (bridge.call().contents() != null) {
                mv.visitVarInsn(ALOAD, 0);
                mv.visitLdcInsn(bridge.call().contents().id);
                hook("contents", ON_OBJECT);
            }
            if (Bridges.reads(descriptor, 0, bridge.call().values())) {
                mv.visitLdcInsn(site("the arguments of super." + name + " are not seen", 0, true).id);
                hook("unmodelled", "(I)V");
            }
            mv.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        } else {
            mv.visitMethodInsn(INVOKESTATIC, bridge.owner(), bridge.name(), bridge.descriptor(), bridge.isInterface());
        }
    }

    /** A call of a method of the superclass Object. */
    private void ofObject(String name, String descriptor) {
        if (name.equals("hashCode")) {
            hook("hash", "(Ljava/lang/Object;)I");
            return;
        }
        if (name.equals("clone")) {
            mv.visitInsn(DUP);
            mv.visitLdcInsn(site("clone", Sites.CONTENTS, false).id);
            hook("cloned", ON_OBJECT);
        }
        mv.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", name, descriptor, false);
    }

    private void constructor(int opcode, String owner, String descriptor) {
        boolean ofThis = !constructed && created.isEmpty();
        boolean duplicated = !ofThis && created.remove(created.size() - 1);
        String called = descriptor;
        if (ClassPath.isOfLibrary(owner)) {
            Library.Verdict verdict = Library.verdict(owner, "<init>");
            if (verdict == null || verdict == Library.Verdict.OUTSIDE || verdict == Library.Verdict.UNSEEN) {
                mv.visitLdcInsn(site(Library.reason(owner, "<init>", verdict), 0, true).id);
                hook("unmodelled", "(I)V");
            }
            called = seeded(owner, descriptor);
            Type[] arguments = Type.getArgumentTypes(called);
            if (arguments.length == 1 && Bridges.mayBeMutable(arguments[0])) {
                mv.visitInsn(DUP);
                mv.visitLdcInsn(site(Instrumenter.simple(arguments[0].getInternalName()), Sites.CONTENTS, false).id);
                hook("argument", ON_OBJECT);
                if (Library.keepsOrder(owner)) {
                    mv.visitInsn(DUP);
                    mv.visitLdcInsn(site(Site.ARGUMENT, Sites.CONTENTS, false).id);
                    hook("order", ON_OBJECT);
                }
            }
        }
        boolean wraps = duplicated && owner.startsWith("java/io/") && wrap(Type.getArgumentTypes(called));
        mv.visitMethodInsn(opcode, owner, "<init>", called, false);
        constructed |= ofThis;
        if (duplicated) {
            created();
        }
        if (wraps) {
            mv.visitInsn(DUP);
            hook("wrapper", "(Ljava/lang/Object;)V");
        }
    }

    /** Reports the first argument of a constructor as wrapped, if it is a library object. */
    private boolean wrap(Type[] arguments) {
        boolean isKnown = arguments.length == 1 || arguments.length == 2 && arguments[1].getSize() == 1;
        if (!isKnown || arguments[0].getSort() != Type.OBJECT || !Bridges.mayBeMutable(arguments[0])) {
            return false;
        }
        if (arguments.length == 1) {
            mv.visitInsn(DUP);
        } else {
            mv.visitInsn(DUP2);
            mv.visitInsn(POP);
        }
        hook("wrap", "(Ljava/lang/Object;)V");
        return true;
    }

    /** Gives constructors that draw a random number or read the clock a value that is the same in each run. */
    private String seeded(String owner, String descriptor) {
        boolean random = owner.equals("java/util/Random") || owner.equals("java/util/SplittableRandom");
        if (!descriptor.equals("()V") || !random && !owner.equals("java/util/Date")) {
            return descriptor;
        }
        mv.visitLdcInsn(site((random ? "random numbers are" : "the time is") + " the same in each run", 0, false).id);
        hook("unmodelled", "(I)V");
        mv.visitMethodInsn(INVOKESTATIC, Bridges.SUBSTITUTES, "seed", "()J", false);
        return "(J)V";
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        before();
        if (bootstrap.getOwner().equals("java/lang/invoke/StringConcatFactory")) {
            if (printing("value", name, descriptor, bootstrap, arguments)) {
                return;
            }
        }
        if (bootstrap.getOwner().equals("java/lang/runtime/ObjectMethods")
                && printing("components", name, descriptor, bootstrap, arguments)) {
            return;
        }
        Object[] replaced = arguments.clone();
        for (int i = 0; i < replaced.length; i++) {
            if (replaced[i] instanceof Handle handle) {
                replaced[i] = type.bridges.handle(handle, descriptor, method, line);
            }
        }
        mv.visitInvokeDynamicInsn(name, descriptor, bootstrap, replaced);
    }

    /** Replaces an instruction that prints or compares its operands, if they matter. */
    private boolean printing(String hook, String name, String descriptor, Handle bootstrap, Object[] arguments) {
        String bridge = type.bridges.printing(hook, name, descriptor, bootstrap, arguments, method, line);
        if (bridge != null) {
            mv.visitMethodInsn(INVOKESTATIC, type.name, bridge, descriptor, type.isInterface);
        }
        return bridge != null;
    }
}
