package asmbench;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * The driver's realistic insertion, implemented as an agent would do it with ASM: one visitor between reader and
 * writer, stack sizes computed, frames kept. Code on a taken edge goes to a trampoline at the method's end, with the
 * target's frame.
 */
final class AsmRewriter {
  private static final String HOLDER = "java/lang/$IprofProbe";
  private static final int MAX_INDEX = 0x7FFF;

  private final boolean sharedPool;
  private int nextCounter;
  int probes;

  /** With a shared pool, the writer starts with the reader's constants, which is faster and keeps unused constants. */
  AsmRewriter(boolean sharedPool) {
    this.sharedPool = sharedPool;
  }

  byte[] rewrite(byte[] original) {
    nextCounter = 0;
    ClassReader reader = new ClassReader(original);
    ClassWriter writer = sharedPool ? new ClassWriter(reader, ClassWriter.COMPUTE_MAXS)
        : new ClassWriter(ClassWriter.COMPUTE_MAXS);
    reader.accept(new ClassVisitor(ASM9, writer) {
      @Override
      public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
        return next == null || (access & (ACC_ABSTRACT | ACC_NATIVE)) != 0 ? next : new Probes(next);
      }
    }, ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  private record Trampoline(Label at, Label target) {}

  private record Frame(int locals, Object[] local, int stacks, Object[] stack) {}

  private final class Probes extends MethodVisitor {
    private final List<Trampoline> trampolines = new ArrayList<>();
    private final Map<Label, Frame> frames = new IdentityHashMap<>();
    private final Set<Label> handlers = new HashSet<>();
    private final List<Label> here = new ArrayList<>(); // those since the last frame

    Probes(MethodVisitor next) {
      super(ASM9, next);
    }

    private void count() {
      probes++;
      super.visitFieldInsn(GETSTATIC, HOLDER, "counters", "[J");
      super.visitIntInsn(SIPUSH, nextCounter++ & MAX_INDEX);
      super.visitInsn(DUP2);
      super.visitInsn(LALOAD);
      super.visitInsn(LCONST_1);
      super.visitInsn(LADD);
      super.visitInsn(LASTORE);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      count();
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
      handlers.add(handler);
      super.visitTryCatchBlock(start, end, handler, type);
    }

    @Override
    public void visitLabel(Label label) {
      super.visitLabel(label);
      here.add(label);
    }

    /** Handlers and all targets of branches have a frame, because classes of java.base are new enough. */
    @Override
    public void visitFrame(int type, int locals, Object[] local, int stacks, Object[] stack) {
      Frame frame = new Frame(locals, local.clone(), stacks, stack.clone());
      boolean isHandler = here.stream().anyMatch(handlers::contains);
      for (Label label : here) frames.put(label, frame);
      here.clear();
      super.visitFrame(type, locals, local, stacks, stack);
      if (isHandler) count();
    }

    private Label through(Label target) {
      Label at = new Label();
      trampolines.add(new Trampoline(at, target));
      return at;
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
      if (opcode == GOTO || opcode == JSR) {
        super.visitJumpInsn(opcode, label);
        return;
      }
      super.visitJumpInsn(opcode, through(label));
      count();
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
      Map<Label, Label> seen = new IdentityHashMap<>();
      Label[] through = new Label[labels.length];
      for (int i = 0; i < labels.length; i++) through[i] = seen.computeIfAbsent(labels[i], this::through);
      super.visitTableSwitchInsn(min, max, seen.computeIfAbsent(other, this::through), through);
    }

    @Override
    public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
      Map<Label, Label> seen = new IdentityHashMap<>();
      Label[] through = new Label[labels.length];
      for (int i = 0; i < labels.length; i++) through[i] = seen.computeIfAbsent(labels[i], this::through);
      super.visitLookupSwitchInsn(seen.computeIfAbsent(other, this::through), keys, through);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      for (Trampoline trampoline : trampolines) {
        super.visitLabel(trampoline.at());
        Frame frame = frames.get(trampoline.target());
        if (frame != null) super.visitFrame(F_NEW, frame.locals(), frame.local(), frame.stacks(), frame.stack());
        count();
        super.visitJumpInsn(GOTO, trampoline.target());
      }
      super.visitMaxs(stack, locals);
    }
  }
}
