package interloper.robust.code;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * The methods that an instrumented class gets for its calls of the library: each reports what the call reads
 * and writes, and makes it. A library object is one location, and a call is one step: what it does to the
 * objects that it is given is reported before, and once more after if the call runs code of the application.
 */
final class Bridges {
    static final String SUBSTITUTES = "interloper/robust/engine/Substitutes";
    private static final String LOCATIONS = "Linterloper/robust/engine/Locations;";

    /**
     * The static method to call instead; the receiver is its first argument. A call of a method of the superclass
     * cannot be replaced; what is known about it is {@code call}.
     */
    record Target(String owner, String name, String descriptor, boolean isInterface, Call call) {}

    private final Instrumenter type;
    private final ClassVisitor out;
    private final List<Runnable> pending = new ArrayList<>();

    Bridges(Instrumenter type, ClassVisitor out) {
        this.type = type;
        this.out = out;
    }

    void write() {
        pending.forEach(Runnable::run);
    }

    /** The bridge for a call, or null if the call can stay as it is. */
    Target to(int opcode, String owner, String name, String descriptor, boolean isInterface, String method, int line) {
        String declaring = owner.startsWith("[") ? owner : type.hierarchy.methodOwner(owner, name, descriptor);
        if (type.loader.includes(declaring)) {
            return null;
        }
        if (!ClassPath.isOfLibrary(declaring)) {
            Site unmodelled = type.site(method, line, notInstrumented(declaring), 0, true);
            return bridge(opcode, owner, name, descriptor, isInterface, new Call(unmodelled, false, null, null, null, false, false, false, false));
        }
        if (declaring.startsWith("interloper/")) {
            return null;
        }
        Library.Verdict verdict = Library.verdict(declaring, name);
        if (verdict == Library.Verdict.REPLACE && opcode != INVOKESPECIAL) {
            String given = opcode == INVOKESTATIC ? descriptor : "(" + receiver(declaring, name) + descriptor.substring(1);
            Target substitute = substitute(declaring, name, given, method, line);
            if (substitute != null) {
                return substitute;
            }
            verdict = null;
        }
        Site unmodelled = unmodelled(declaring, name, verdict, method, line);
        String taken = taken(opcode, owner, descriptor);
        boolean isObject = verdict == Library.Verdict.OBJECT && opcode != INVOKESTATIC;
        boolean values = Library.readsValues(name);
        Site contents = !isObject ? null
                : type.site(method, line, Instrumenter.simple(declaring), Sites.CONTENTS, !Library.reads(declaring, name));
        boolean printsReceiver = values && (!isObject || Library.reads(declaring, name));
        Site argument = reads(taken, isObject && !printsReceiver ? 1 : 0, values)
                ? type.site(method, line, Site.ARGUMENT, Sites.CONTENTS, false) : null;
        boolean writes = verdict == Library.Verdict.WRITES || Library.fills(name);
        Site output = writes ? type.site(method, line, Site.ARGUMENT, Sites.CONTENTS, true) : null;
        if (unmodelled == null && contents == null && argument == null) {
            return null;
        }
        if (contents != null) {
            type.counts.accesses.incrementAndGet();
        }
        boolean isIterable = isObject || declaring.equals("java/lang/Iterable");
        boolean view = isIterable && Library.returnsView(declaring, name)
                || declaring.equals("java/util/Collections") && Library.wraps(name);
        boolean order = isIterable && Library.showsOrder(name);
        boolean waits = verdict == Library.Verdict.BLOCKS && !Library.onlyWakes(name);
        Call call = new Call(
                unmodelled, waits, contents, output, argument, Library.takesRange(owner, descriptor), values, view, order);
        return bridge(opcode, owner, name, descriptor, isInterface, call);
    }

    private static String notInstrumented(String owner) {
        return Instrumenter.simple(owner) + " is not instrumented (--include)";
    }

    /** The receiver of a substitute: the class of the library that the substitute is written for. */
    private static String receiver(String declaring, String name) {
        boolean executes = name.equals("execute") || name.equals("submit");
        return executes ? "Ljava/util/concurrent/Executor;" : "L" + declaring + ";";
    }

    /** A call of a substitute, or null if there is none. Some substitutes take the sites of a read and a write, too. */
    private Target substitute(String declaring, String name, String descriptor, String method, int line) {
        String withSites = descriptor.replace(")", "II)");
        boolean takesSites = Substituted.has(name, withSites);
        if (!takesSites && !Substituted.has(name, descriptor)) {
            return null;
        }
        String words = Substituted.remark(name);
        Site remark = words == null ? null : type.site(method, line, words, 0, false);
        if (remark == null && !takesSites) {
            return new Target(SUBSTITUTES, name, descriptor, false, null);
        }
        String what = Instrumenter.simple(declaring) + "." + name;
        Site read = takesSites ? type.site(method, line, what, Sites.CONTENTS, false) : null;
        Site write = takesSites ? type.site(method, line, what, Sites.CONTENTS, true) : null;
        String bridge = nextName();
        pending.add(() -> {
            MethodVisitor code = start(bridge, descriptor);
            if (remark != null) {
                code.visitLdcInsn(remark.id);
                hook(code, "unmodelled", "(I)V");
            }
            load(code, descriptor);
            if (takesSites) {
                code.visitLdcInsn(read.id);
                code.visitLdcInsn(write.id);
            }
            code.visitMethodInsn(INVOKESTATIC, SUBSTITUTES, name, takesSites ? withSites : descriptor, false);
            finish(code, descriptor);
        });
        return new Target(type.name, bridge, descriptor, type.isInterface, null);
    }

    /** The site that states that a call is not modelled, or has no effect on the order, or null. */
    private Site unmodelled(String declaring, String name, Library.Verdict verdict, String method, int line) {
        if (verdict == Library.Verdict.IGNORED) {
            return type.site(method, line, Library.reason(declaring, name, verdict), 0, false);
        }
        boolean known = verdict == Library.Verdict.PURE || verdict == Library.Verdict.OBJECT
                || verdict == Library.Verdict.WRITES;
        return known ? null : type.site(method, line, Library.reason(declaring, name, verdict), 0, true);
    }

    /**
     * What a bridge reports: a call that is not modelled, whether it waits, the receiver, an argument that is
     * written, those that are read, whether a range of elements only, whether with what they contain, whether a view results, and whether the call shows
     * the order of a collection.
     */
    record Call(Site unmodelled, boolean waits, Site contents, Site output, Site argument, boolean range, boolean values,
            boolean view, boolean order) {}

    /** The descriptor of a static method that takes the receiver first. */
    private static String taken(int opcode, String owner, String descriptor) {
        String receiver = owner.startsWith("[") ? owner : "L" + owner + ";";
        return opcode == INVOKESTATIC ? descriptor : "(" + receiver + descriptor.substring(1);
    }

    private Target bridge(int opcode, String owner, String name, String descriptor, boolean isInterface, Call call) {
        String bridge = nextName();
        String taken = taken(opcode, owner, descriptor);
        if (opcode != INVOKESPECIAL) {
            pending.add(() -> write(bridge, taken, opcode, owner, name, descriptor, isInterface, call));
        }
        return new Target(type.name, bridge, taken, type.isInterface, call);
    }

    private void write(String bridge, String taken, int opcode, String owner, String name, String descriptor,
            boolean isInterface, Call call) {
        MethodVisitor code = start(bridge, taken);
        unmodelled(code, call);
        report(code, taken, call);
        if (call.order) {
            code.visitVarInsn(ALOAD, 0);
            code.visitLdcInsn((call.contents == null ? call.argument : call.contents).id);
            hook(code, "order", "(Ljava/lang/Object;I)V");
        }
        if (!isNotify(name, descriptor)) {
            load(code, taken);
            code.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
        if (name.equals("asList") && owner.equals("java/util/Arrays")) {
            code.visitVarInsn(ALOAD, 0);
            hook(code, "list", "(Ljava/lang/Object;)V");
        }
        if (descriptor.contains("Ljava/util/function/") || descriptor.contains("Ljava/util/Comparator;")) {
            report(code, taken, call);
        }
        Type result = Type.getReturnType(descriptor);
        if (call.view && result.getSort() == Type.OBJECT) {
            code.visitVarInsn(ALOAD, 0);
            hook(code, "view", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");
            code.visitTypeInsn(CHECKCAST, result.getInternalName());
        }
        finish(code, taken);
    }

    /** A task does not own the monitors that it entered, so it cannot notify others. */
    private static boolean isNotify(String name, String descriptor) {
        return (name.equals("notify") || name.equals("notifyAll")) && descriptor.equals("()V");
    }

    /** Reports a call that is not modelled. A task that would wait stops there. */
    static void unmodelled(MethodVisitor code, Call call) {
        if (call.unmodelled != null) {
            code.visitLdcInsn(call.unmodelled.id);
            hook(code, "unmodelled", "(I)V");
        }
        if (call.waits) {
            hook(code, "waits", "()V");
        }
    }

    private static void report(MethodVisitor code, String taken, Call call) {
        if (call.contents != null && call.argument == null) {
            code.visitVarInsn(ALOAD, 0);
            code.visitLdcInsn(call.contents.id);
            hook(code, "contents", "(Ljava/lang/Object;I)V");
        }
        if (call.argument == null) {
            return;
        }
        int locations = startLocations(code, taken);
        boolean printsReceiver = call.values && call.contents != null && !call.contents.write;
        if (call.contents != null) {
            location(code, locations, printsReceiver ? "value" : "receiver", 0, call.contents);
        }
        Site site = call.output != null ? call.output : call.argument;
        if (call.range) {
            code.visitVarInsn(ALOAD, locations);
            code.visitVarInsn(ALOAD, 0);
            code.visitVarInsn(ILOAD, 1);
            code.visitVarInsn(ILOAD, 2);
            code.visitLdcInsn(site.id);
            hook(code, "range", "(" + LOCATIONS + "Ljava/lang/Object;III)V");
            endLocations(code, locations);
            return;
        }
        int variable = 0;
        Type[] types = Type.getArgumentTypes(taken);
        for (int i = 0; i < types.length; i++) {
            boolean isReceiver = i == 0 && call.contents != null;
            if (!isReceiver && call.values && mayContain(types[i])) {
                location(code, locations, "value", variable, call.argument);
            } else if (!isReceiver && mayBeMutable(types[i])) {
                location(code, locations, "argument", variable, site);
                site = call.argument;
            }
            variable += types[i].getSize();
        }
        endLocations(code, locations);
    }

    /** Creates the locations of a call. Returns the variable that holds them, the first after the arguments. */
    private static int startLocations(MethodVisitor code, String taken) {
        int variable = Type.getArgumentsAndReturnSizes(taken) / 4 - 1;
        hook(code, "locations", "()" + LOCATIONS);
        code.visitVarInsn(ASTORE, variable);
        return variable;
    }

    private static void location(MethodVisitor code, int locations, String hook, int variable, Site site) {
        code.visitVarInsn(ALOAD, locations);
        code.visitVarInsn(ALOAD, variable);
        code.visitLdcInsn(site.id);
        hook(code, hook, "(" + LOCATIONS + "Ljava/lang/Object;I)V");
    }

    private static void endLocations(MethodVisitor code, int locations) {
        code.visitVarInsn(ALOAD, locations);
        hook(code, "together", "(" + LOCATIONS + ")V");
    }

    /** Whether a value of the type may be a collection, an array or a string builder that the library reads. */
    static boolean mayBeMutable(Type type) {
        if (type.getSort() == Type.ARRAY) {
            return true;
        }
        if (type.getSort() != Type.OBJECT) {
            return false;
        }
        String name = type.getInternalName();
        return name.equals("java/lang/CharSequence") || name.equals("java/lang/Iterable")
                || Library.verdict(name, "") == Library.Verdict.OBJECT;
    }

    /** Whether a value of the type may be, or contain, what the library reads. */
    private static boolean mayContain(Type type) {
        return type.getSort() == Type.ARRAY
                || type.getSort() == Type.OBJECT && !Library.isImmutable(type.getInternalName());
    }

    /** Whether a call with these arguments reads one of them, from the given one on. */
    static boolean reads(String descriptor, int from, boolean values) {
        Type[] types = Type.getArgumentTypes(descriptor);
        for (int i = from; i < types.length; i++) {
            if (mayBeMutable(types[i]) || values && mayContain(types[i])) {
                return true;
            }
        }
        return false;
    }

    /**
     * A bridge for an instruction that prints or compares its operands, or null if they contain nothing that other tasks
     * may change: a concatenation of strings ({@code value}), or a generated method of a record ({@code components}).
     */
    String printing(String hook, String name, String descriptor, Handle bootstrap, Object[] constants, String method,
            int line) {
        if (!reads(descriptor, 0, true)) {
            return null;
        }
        Site site = type.site(method, line, Site.ARGUMENT, Sites.CONTENTS, false);
        String bridge = nextName();
        pending.add(() -> {
            MethodVisitor code = start(bridge, descriptor);
            int locations = startLocations(code, descriptor);
            int variable = 0;
            for (Type argument : Type.getArgumentTypes(descriptor)) {
                if (mayContain(argument)) {
                    location(code, locations, hook, variable, site);
                }
                variable += argument.getSize();
            }
            endLocations(code, locations);
            load(code, descriptor);
            code.visitInvokeDynamicInsn(name, descriptor, bootstrap, constants);
            finish(code, descriptor);
        });
        return bridge;
    }

    /**
     * The handle that a lambda or a method reference should call: the bridge, if the call needs one. What is captured must
     * have the very types that the bridge takes; {@code descriptor} states it.
     */
    Handle handle(Handle called, String descriptor, String method, int line) {
        int opcode = switch (called.getTag()) {
            case H_INVOKEVIRTUAL -> INVOKEVIRTUAL;
            case H_INVOKESTATIC -> INVOKESTATIC;
            case H_INVOKEINTERFACE -> INVOKEINTERFACE;
            default -> 0;
        };
        if (opcode == 0) {
            return called;
        }
        Target bridge = to(opcode, called.getOwner(), called.getName(), called.getDesc(), called.isInterface(), method, line);
        if (bridge == null) {
            return called;
        }
        Type[] captured = Type.getArgumentTypes(descriptor);
        if (opcode != INVOKESTATIC && captured.length > 0) {
            bridge = adapted(bridge, captured[0]);
        }
        return new Handle(H_INVOKESTATIC, bridge.owner(), bridge.name(), bridge.descriptor(), bridge.isInterface());
    }

    /** A method that calls the bridge, and takes a receiver of the given type. */
    private Target adapted(Target bridge, Type receiver) {
        Type[] types = Type.getArgumentTypes(bridge.descriptor());
        if (types[0].equals(receiver)) {
            return bridge;
        }
        types[0] = receiver;
        String descriptor = Type.getMethodDescriptor(Type.getReturnType(bridge.descriptor()), types);
        String name = nextName();
        pending.add(() -> {
            MethodVisitor code = start(name, descriptor);
            load(code, descriptor);
            code.visitMethodInsn(INVOKESTATIC, bridge.owner(), bridge.name(), bridge.descriptor(), bridge.isInterface());
            finish(code, descriptor);
        });
        return new Target(type.name, name, descriptor, type.isInterface, bridge.call());
    }

    /**
     * Writes a method that enters the monitor, calls the body and leaves the monitor, in place of a synchronized
     * method. Returns the name of the body.
     */
    String synchronizedMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        String body = "$interloper$body$" + name;
        Site site = type.site(name, 0, "monitor", Sites.MONITOR, true);
        boolean isStatic = (access & ACC_STATIC) != 0;
        pending.add(() -> {
            MethodVisitor code = out.visitMethod(access & ~ACC_SYNCHRONIZED, name, descriptor, signature, thrown);
            Label from = new Label();
            Label to = new Label();
            Label handler = new Label();
            code.visitCode();
            code.visitTryCatchBlock(from, to, handler, null);
            monitor(code, isStatic);
            code.visitLdcInsn(site.id);
            hook(code, "enter", "(Ljava/lang/Object;I)V");
            code.visitLabel(from);
            if (!isStatic) {
                code.visitVarInsn(ALOAD, 0);
            }
            load(code, descriptor, isStatic ? 0 : 1);
            code.visitMethodInsn(isStatic ? INVOKESTATIC : INVOKESPECIAL, type.name, body, descriptor, type.isInterface);
            code.visitLabel(to);
            monitor(code, isStatic);
            hook(code, "exit", "(Ljava/lang/Object;)V");
            code.visitInsn(Type.getReturnType(descriptor).getOpcode(IRETURN));
            code.visitLabel(handler);
            if (type.version >= V1_6) {
                code.visitFrame(F_SAME1, 0, null, 1, new Object[] {"java/lang/Throwable"});
            }
            code.visitInsn(DUP);
            hook(code, "caught", "(Ljava/lang/Throwable;)V");
            monitor(code, isStatic);
            hook(code, "exit", "(Ljava/lang/Object;)V");
            code.visitInsn(ATHROW);
            code.visitMaxs(0, 0);
            code.visitEnd();
        });
        return body;
    }

    private void monitor(MethodVisitor code, boolean isStatic) {
        if (!isStatic) {
            code.visitVarInsn(ALOAD, 0);
        } else if (type.version >= V1_5) {
            code.visitLdcInsn(Type.getObjectType(type.name));
        } else {
            code.visitLdcInsn("monitor of " + type.name);
        }
    }

    private String nextName() {
        return "$interloper$call$" + pending.size();
    }

    private MethodVisitor start(String bridge, String descriptor) {
        int visible = type.isInterface ? ACC_PUBLIC : ACC_PRIVATE;
        MethodVisitor code = out.visitMethod(visible | ACC_STATIC | ACC_SYNTHETIC, bridge, descriptor, null, null);
        code.visitCode();
        return code;
    }

    private static void hook(MethodVisitor code, String name, String descriptor) {
        code.visitMethodInsn(INVOKESTATIC, Instrumenter.HOOKS, name, descriptor, false);
    }

    private static void load(MethodVisitor code, String descriptor) {
        load(code, descriptor, 0);
    }

    private static void load(MethodVisitor code, String descriptor, int from) {
        int variable = from;
        for (Type argument : Type.getArgumentTypes(descriptor)) {
            code.visitVarInsn(argument.getOpcode(ILOAD), variable);
            variable += argument.getSize();
        }
    }

    private static void finish(MethodVisitor code, String descriptor) {
        code.visitInsn(Type.getReturnType(descriptor).getOpcode(IRETURN));
        code.visitMaxs(0, 0);
        code.visitEnd();
    }
}
