package interloper.robust.code;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/** Tells the exploration when a static initialiser begins and ends, also if it fails. */
final class InitialiserCode extends MethodVisitor {
    private final String type;
    private final int version;
    private final Label start = new Label();

    InitialiserCode(MethodVisitor out, String type, int version) {
        super(ASM9, out);
        this.type = type;
        this.version = version;
    }

    private void end() {
        super.visitMethodInsn(INVOKESTATIC, Instrumenter.HOOKS, "initialiserEnds", "()V", false);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitLdcInsn(type);
        super.visitMethodInsn(INVOKESTATIC, Instrumenter.HOOKS, "initialiserBegins", "(Ljava/lang/String;)V", false);
        super.visitLabel(start);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == RETURN) {
            end();
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        Label end = new Label();
        super.visitLabel(end);
        super.visitTryCatchBlock(start, end, end, null);
        if (version >= V1_6) {
            super.visitFrame(F_FULL, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
        }
        end();
        super.visitInsn(ATHROW);
        super.visitMaxs(stack, locals);
    }
}
