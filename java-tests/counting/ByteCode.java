package counting;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes class files, for code that no Java compiler emits and for thousands of classes. The default class version is
 * 49, which needs no stack maps and allows subroutines. Positions are known while writing; the tests compare them.
 */
final class ByteCode {
  /** A position to jump to, bound now or later. */
  static final class Label {
    int bci = -1;
  }

  /** The code of one method being written. */
  final class Code {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<int[]> fixes = new ArrayList<>();
    private final List<Label> fixLabels = new ArrayList<>();
    private final List<Label[]> handlers = new ArrayList<>();

    int bci() {
      return bytes.size();
    }

    Code op(int... values) {
      for (int v : values) bytes.write(v);
      return this;
    }

    Code u2(int v) {
      return op(v >> 8, v);
    }

    Code u4(int v) {
      return u2(v >> 16).u2(v);
    }

    Code bind(Label label) {
      label.bci = bci();
      return this;
    }

    /** A jump with a 16-bit offset; returns its bci. */
    int jump(int opcode, Label to) {
      int at = bci();
      op(opcode);
      fix(to, at, 2);
      return at;
    }

    /** goto_w or jsr_w. */
    int wideJump(int opcode, Label to) {
      int at = bci();
      op(opcode);
      fix(to, at, 4);
      return at;
    }

    private void fix(Label to, int from, int size) {
      fixes.add(new int[] {bci(), from, size});
      fixLabels.add(to);
      for (int i = 0; i < size; i++) op(0);
    }

    int tableSwitch(int low, Label other, Label... targets) {
      int at = bci();
      op(0xaa);
      while (bci() % 4 != 0) op(0);
      fix(other, at, 4);
      u4(low).u4(low + targets.length - 1);
      for (Label target : targets) fix(target, at, 4);
      return at;
    }

    int lookupSwitch(int[] keys, Label other, Label... targets) {
      int at = bci();
      op(0xab);
      while (bci() % 4 != 0) op(0);
      fix(other, at, 4);
      u4(keys.length);
      for (int i = 0; i < keys.length; i++) {
        u4(keys[i]);
        fix(targets[i], at, 4);
      }
      return at;
    }

    Code invokeStatic(String owner, String name, String descriptor) {
      return op(0xb8).u2(member(10, owner, name, descriptor));
    }

    Code invokeSpecial(String owner, String name, String descriptor) {
      return op(0xb7).u2(member(10, owner, name, descriptor));
    }

    /** Returns the instruction's bci. */
    int invokeVirtual(String owner, String name, String descriptor) {
      int at = bci();
      op(0xb6).u2(member(10, owner, name, descriptor));
      return at;
    }

    /** Calls a method without parameters; returns the instruction's bci. */
    int invokeInterface(String owner, String name, String descriptor) {
      int at = bci();
      op(0xb9).u2(member(11, owner, name, descriptor)).op(1, 0);
      return at;
    }

    /** new, checkcast, instanceof or anewarray; returns the instruction's bci. */
    int typed(int opcode, String internalName) {
      int at = bci();
      op(opcode).u2(type(internalName));
      return at;
    }

    Code handler(Label from, Label to, Label handler) {
      handlers.add(new Label[] {from, to, handler});
      return this;
    }

    private byte[] finish() {
      byte[] code = bytes.toByteArray();
      for (int i = 0; i < fixes.size(); i++) {
        int[] fix = fixes.get(i);
        int offset = fixLabels.get(i).bci - fix[1];
        for (int b = 0; b < fix[2]; b++) code[fix[0] + b] = (byte) (offset >> 8 * (fix[2] - 1 - b));
      }
      return code;
    }
  }

  private final String name;
  private final String parent;
  private final String[] interfaces;
  private final Map<String, Integer> constants = new LinkedHashMap<>();
  private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
  private final DataOutputStream pool = new DataOutputStream(poolBytes);
  private final ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
  private final DataOutputStream methods = new DataOutputStream(methodBytes);
  private int methodCount;
  private int version = 49;

  ByteCode(String name) {
    this(name, "java/lang/Object");
  }

  /** parent and interfaces: internal names. */
  ByteCode(String name, String parent, String... interfaces) {
    this.name = name;
    this.parent = parent;
    this.interfaces = interfaces;
  }

  /** From version 51 on, code with branches needs stack maps, which this class does not write. */
  ByteCode version(int major) {
    version = major;
    return this;
  }

  Code code() {
    return new Code();
  }

  private interface Body {
    void write() throws IOException;
  }

  private int constant(String key, Body body) {
    Integer known = constants.get(key);
    if (known != null) return known;
    try {
      body.write();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    constants.put(key, constants.size() + 1);
    return constants.size();
  }

  private int utf8(String s) {
    return constant("u" + s, () -> {
      pool.writeByte(1);
      pool.writeUTF(s);
    });
  }

  private int pair(int tag, int a, int b) {
    return constant(tag + ":" + a + ":" + b, () -> {
      pool.writeByte(tag);
      pool.writeShort(a);
      if (b >= 0) pool.writeShort(b);
    });
  }

  private int type(String internalName) {
    return pair(7, utf8(internalName), -1);
  }

  private int member(int tag, String owner, String name, String descriptor) {
    return pair(tag, type(owner), pair(12, utf8(name), utf8(descriptor)));
  }

  /** Public and static. */
  void method(String name, String descriptor, int stack, int locals, Code code) {
    method(0x0009, name, descriptor, stack, locals, code);
  }

  /** A public constructor that only calls that of its parent. */
  void constructor() {
    Code c = code().op(0x2a).invokeSpecial(parent, "<init>", "()V").op(0xb1); // aload_0, return
    method(0x0001, "<init>", "()V", 1, 1, c);
  }

  void method(int access, String name, String descriptor, int stack, int locals, Code code) {
    try {
      byte[] bytes = code.finish();
      methods.writeShort(access);
      methods.writeShort(utf8(name));
      methods.writeShort(utf8(descriptor));
      methods.writeShort(1);
      methods.writeShort(utf8("Code"));
      methods.writeInt(12 + bytes.length + 8 * code.handlers.size());
      methods.writeShort(stack);
      methods.writeShort(locals);
      methods.writeInt(bytes.length);
      methods.write(bytes);
      methods.writeShort(code.handlers.size());
      for (Label[] h : code.handlers) {
        for (Label label : h) methods.writeShort(label.bci);
        methods.writeShort(0);
      }
      methods.writeShort(0);
      methodCount++;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  byte[] finish() {
    try {
      int self = type(name.replace('.', '/'));
      int above = type(parent);
      int[] implemented = Arrays.stream(interfaces).mapToInt(this::type).toArray();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(0xcafebabe);
      out.writeInt(version);
      out.writeShort(constants.size() + 1);
      poolBytes.writeTo(out);
      out.writeShort(0x0021);
      out.writeShort(self);
      out.writeShort(above);
      out.writeShort(implemented.length);
      for (int type : implemented) out.writeShort(type);
      out.writeShort(0);
      out.writeShort(methodCount);
      methodBytes.writeTo(out);
      out.writeShort(0);
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
