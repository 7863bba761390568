package interloper.robust.code;

import static org.objectweb.asm.Opcodes.*;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/** Tells the exploration when a static initialiser begins and ends, also if it fails. */
final class InitialiserCode extends MethodVisitor {
    private final int version;
    private final Label start = new Label();

    InitialiserCode(MethodVisitor out, int version) {
        super(ASM9, out);
        this.version = version;
    }

    private void hook(int enters) {
        super.visitInsn(enters);
        super.visitMethodInsn(INVOKESTATIC, Instrumenter.HOOKS, "initialiser", "(Z)V", false);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        hook(ICONST_1);
        super.visitLabel(start);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == RETURN) {
            hook(ICONST_0);
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
        hook(ICONST_0);
        super.visitInsn(ATHROW);
        super.visitMaxs(stack, locals);
    }
}
