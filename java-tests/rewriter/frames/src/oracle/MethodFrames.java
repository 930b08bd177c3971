package oracle;

import static org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;

/**
 * The stack maps of one method, by the number of the instruction after each. It uses instruction numbers, not offsets,
 * because ASM may encode a branch differently from the class.
 */
final class MethodFrames extends MethodVisitor {
  /** An object created by the `new` at that instruction and not constructed yet. */
  record Uninitialized(int instruction) {}

  /** Locals by slot (a long or double is followed by TOP), stack by value. */
  record Frame(List<Object> locals, List<Object> stack) {
    boolean hasUninitializedThis() {
      return locals.contains(UNINITIALIZED_THIS) || stack.contains(UNINITIALIZED_THIS);
    }
  }

  final Map<Integer, Frame> frames = new TreeMap<>();
  private final List<Integer> opcodes = new ArrayList<>();
  private final Map<Label, Integer> labels = new IdentityHashMap<>();
  private final Map<Integer, Object[][]> raw = new TreeMap<>();

  private MethodFrames() {
    super(ASM9);
  }

  static Map<String, MethodFrames> of(ClassReader reader) {
    Map<String, MethodFrames> methods = new TreeMap<>();
    reader.accept(new ClassVisitor(ASM9) {
      @Override
      public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        MethodFrames frames = new MethodFrames();
        methods.put(name + descriptor, frames);
        return frames;
      }
    }, ClassReader.EXPAND_FRAMES | ClassReader.SKIP_DEBUG);
    return methods;
  }

  /** Whether the instructions are the same in the same order. This detects unreachable code, which ASM replaces. */
  boolean sameCode(MethodFrames other) {
    return opcodes.equals(other.opcodes);
  }

  @Override
  public void visitFrame(int type, int localCount, Object[] local, int stackCount, Object[] stack) {
    Object[] locals = new Object[localCount];
    System.arraycopy(local, 0, locals, 0, localCount);
    Object[] values = new Object[stackCount];
    System.arraycopy(stack, 0, values, 0, stackCount);
    raw.put(opcodes.size(), new Object[][] {locals, values});
  }

  @Override
  public void visitEnd() {
    raw.forEach((at, frame) -> {
      List<Object> locals = new ArrayList<>();
      for (Object local : frame[0]) {
        locals.add(resolved(local));
        if (local == LONG || local == DOUBLE) locals.add(TOP);
      }
      List<Object> stack = new ArrayList<>();
      for (Object value : frame[1]) stack.add(resolved(value));
      frames.put(at, new Frame(locals, stack));
    });
  }

  private Object resolved(Object type) {
    return type instanceof Label label ? new Uninitialized(labels.get(label)) : type;
  }

  @Override
  public void visitLabel(Label label) {
    labels.put(label, opcodes.size());
  }

  @Override
  public void visitInsn(int opcode) {
    opcodes.add(opcode);
  }

  @Override
  public void visitIntInsn(int opcode, int operand) {
    opcodes.add(opcode);
  }

  @Override
  public void visitVarInsn(int opcode, int index) {
    opcodes.add(opcode);
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    opcodes.add(opcode);
  }

  @Override
  public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
    opcodes.add(opcode);
  }

  @Override
  public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
    opcodes.add(opcode);
  }

  @Override
  public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
    opcodes.add(INVOKEDYNAMIC);
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    opcodes.add(opcode);
  }

  @Override
  public void visitLdcInsn(Object value) {
    opcodes.add(LDC);
  }

  @Override
  public void visitIincInsn(int index, int increment) {
    opcodes.add(IINC);
  }

  @Override
  public void visitTableSwitchInsn(int min, int max, Label defaultLabel, Label... targets) {
    opcodes.add(TABLESWITCH);
  }

  @Override
  public void visitLookupSwitchInsn(Label defaultLabel, int[] keys, Label[] targets) {
    opcodes.add(LOOKUPSWITCH);
  }

  @Override
  public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
    opcodes.add(MULTIANEWARRAY);
  }
}
