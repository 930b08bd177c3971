package oracle;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import oracle.hits.ContextHits;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A Java agent that counts what chosen calls and branches do, by caller: it walks the stack at every execution,
 * or at one of N. It shares neither code nor method with what it checks.
 *
 * <p>Options: {@code OUTPUT;HITS_JAR;SITES;N}. A line of the file SITES is a class, a method with its descriptor, and a bci, separated by
 * tabs; names have dots. A line of OUTPUT is a site as {@code a.B.run()V:12}, the receiver's class or the branch's target, the class of
 * the method that is called, a count, and up to eight callers, innermost first. All positions are those of the class files.
 */
public final class ContextOracle implements ClassFileTransformer {
  private static final String HITS = "oracle/hits/ContextHits";

  private final Map<String, Map<String, Map<Integer, Integer>>> chosen = new HashMap<>(); // class, method, bci: number
  private final List<String> sites = new ArrayList<>();
  private final Map<Integer, String> called = new HashMap<>(); // by site: name and descriptor
  private final Map<String, Map<Integer, Integer>> originals = new HashMap<>(); // method: position in running code, in the class file

  public static void premain(String text, Instrumentation instrumentation) throws Exception {
    String[] options = text.split(";");
    instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(options[1]));
    start(options, instrumentation);
  }

  private static void start(String[] options, Instrumentation instrumentation) throws Exception {
    ContextOracle oracle = new ContextOracle();
    for (String line : Files.readAllLines(Path.of(options[2]))) {
      String[] parts = line.split("\t");
      oracle.chosen.computeIfAbsent(parts[0], c -> new HashMap<>()).computeIfAbsent(parts[1], m -> new HashMap<>())
          .put(Integer.parseInt(parts[2]), oracle.sites.size());
      oracle.sites.add(parts[0] + "." + parts[1] + ":" + parts[2]);
    }
    ContextHits.object(oracle, -1); // links what it needs
    ContextHits.setMean(Integer.parseInt(options[3]));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> oracle.write(Path.of(options[0]))));
    instrumentation.addTransformer(oracle, true);
    for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
      if (oracle.chosen.containsKey(loaded.getName())) instrumentation.retransformClasses(loaded);
    }
  }

  @Override
  public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
    if (name == null || !chosen.containsKey(name.replace('/', '.'))) return null;
    try {
      return rewrite(name.replace('/', '.'), bytes);
    } catch (RuntimeException e) {
      System.err.println("oracle: " + name + " is left out: " + e);
      return null;
    }
  }

  /** A class file whose instructions and labels have their positions. */
  private static final class Positions extends ClassReader {
    int bci;
    Code code;

    Positions(byte[] bytes) {
      super(bytes);
    }

    @Override
    protected void readBytecodeInstructionOffset(int offset) {
      bci = offset;
      if (code != null) code.add(offset);
    }

    @Override
    protected Label readLabel(int offset, Label[] labels) {
      if (labels[offset] == null) {
        labels[offset] = new Label();
        labels[offset].info = offset;
      }
      return labels[offset];
    }
  }

  /** The positions of a method's instructions, and how many instructions were inserted before each. */
  private static final class Code {
    final List<Integer> offsets = new ArrayList<>();
    final List<Integer> inserted = new ArrayList<>();
    int all;

    void add(int offset) {
      offsets.add(offset);
      inserted.add(all);
    }

    void insert(int count, boolean beforeThis) {
      all += count;
      if (beforeThis) inserted.set(inserted.size() - 1, all);
    }

    Map<Integer, Integer> originalsOf(Code rewritten) {
      Map<Integer, Integer> made = new HashMap<>();
      for (int i = 0; i < offsets.size(); ++i) made.put(rewritten.offsets.get(i + inserted.get(i)), offsets.get(i));
      return made;
    }
  }

  private static Map<String, Code> codesOf(byte[] bytes) {
    Map<String, Code> codes = new HashMap<>();
    Positions reader = new Positions(bytes);
    reader.accept(new ClassVisitor(Opcodes.ASM9) {
      @Override
      public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] throwing) {
        codes.put(method + descriptor, reader.code = new Code());
        return new MethodVisitor(Opcodes.ASM9) {};
      }
    }, ClassReader.EXPAND_FRAMES);
    return codes;
  }

  private static Map<String, Integer> localsOf(byte[] bytes) {
    Map<String, Integer> most = new HashMap<>();
    new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM9) {
      @Override
      public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] throwing) {
        return new MethodVisitor(Opcodes.ASM9) {
          @Override
          public void visitMaxs(int stack, int locals) {
            most.put(method + descriptor, locals);
          }
        };
      }
    }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return most;
  }

  private byte[] rewrite(String name, byte[] bytes) {
    Positions reader = new Positions(bytes);
    ClassWriter writer = new ClassWriter(0);
    Map<String, Integer> locals = localsOf(bytes);
    Map<String, Code> codes = new HashMap<>();
    reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
      @Override
      public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] throwing) {
        MethodVisitor next = super.visitMethod(access, method, descriptor, signature, throwing);
        codes.put(method + descriptor, reader.code = new Code());
        Map<Integer, Integer> here = chosen.get(name).getOrDefault(method + descriptor, Map.of());
        return new Watching(next, reader, here, called, locals.getOrDefault(method + descriptor, 0));
      }
    }, ClassReader.EXPAND_FRAMES);
    byte[] rewritten = writer.toByteArray();
    Map<String, Code> made = codesOf(rewritten);
    synchronized (originals) {
      codes.forEach((method, code) -> originals.put(name + "." + method, code.originalsOf(made.get(method))));
    }
    return rewritten;
  }

  private static final class Watching extends MethodVisitor {
    private final Positions positions;
    private final Map<Integer, Integer> sites;
    private final Map<Integer, String> called;
    private final List<Object[]> trampolines = new ArrayList<>(); // label, site, target
    private final Map<Integer, Object[][]> frames = new HashMap<>(); // bci: locals and stack
    private final int firstLocal;
    private int locals;

    Watching(MethodVisitor next, Positions positions, Map<Integer, Integer> sites, Map<Integer, String> called, int locals) {
      super(Opcodes.ASM9, next);
      this.positions = positions;
      this.sites = sites;
      this.called = called;
      this.firstLocal = locals;
      this.locals = locals;
    }

    @Override
    public void visitFrame(int type, int localCount, Object[] local, int stackCount, Object[] stack) {
      frames.put(positions.bci, new Object[][] {java.util.Arrays.copyOf(local, localCount), java.util.Arrays.copyOf(stack, stackCount)});
      super.visitFrame(type, localCount, local, stackCount, stack);
    }

    /** HotSpot may replace ldc in a retransformed class by ldc_w, which changes positions. */
    private void number(int value) {
      mv.visitIntInsn(Opcodes.SIPUSH, value);
    }

    private void edge(int site, int target) {
      number(site);
      number(target);
      mv.visitMethodInsn(Opcodes.INVOKESTATIC, HITS, "edge", "(II)V", false);
    }

    private Label trampoline(int site, Label target) {
      Label label = new Label();
      trampolines.add(new Object[] {label, site, target});
      return label;
    }

    private Label[] trampolines(int site, Label[] targets) {
      Label[] labels = new Label[targets.length];
      for (int i = 0; i < labels.length; i++) labels[i] = trampoline(site, targets[i]);
      return labels;
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
      Integer site = sites.get(positions.bci);
      if (site != null && (opcode == Opcodes.INVOKEVIRTUAL || opcode == Opcodes.INVOKEINTERFACE)) {
        called.put(site, name + descriptor);
        Type[] arguments = Type.getArgumentTypes(descriptor);
        int[] at = new int[arguments.length];
        int next = firstLocal;
        for (int i = 0; i < arguments.length; ++i) {
          at[i] = next;
          next += arguments[i].getSize();
        }
        locals = Math.max(locals, next);
        for (int i = arguments.length - 1; i >= 0; --i) mv.visitVarInsn(arguments[i].getOpcode(Opcodes.ISTORE), at[i]);
        mv.visitInsn(Opcodes.DUP);
        number(site);
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, HITS, "object", "(Ljava/lang/Object;I)V", false);
        for (int i = 0; i < arguments.length; ++i) mv.visitVarInsn(arguments[i].getOpcode(Opcodes.ILOAD), at[i]);
        positions.code.insert(2 * arguments.length + 3, true);
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    @Override
    public void visitJumpInsn(int opcode, Label target) {
      Integer site = sites.get(positions.bci);
      if (site == null || opcode == Opcodes.GOTO || opcode == Opcodes.JSR) {
        super.visitJumpInsn(opcode, target);
        return;
      }
      super.visitJumpInsn(opcode, trampoline(site, target));
      edge(site, positions.bci + 3);
      positions.code.insert(3, false);
    }

    @Override
    public void visitTableSwitchInsn(int low, int high, Label other, Label... targets) {
      Integer site = sites.get(positions.bci);
      if (site == null) super.visitTableSwitchInsn(low, high, other, targets);
      else super.visitTableSwitchInsn(low, high, trampoline(site, other), trampolines(site, targets));
    }

    @Override
    public void visitLookupSwitchInsn(Label other, int[] keys, Label[] targets) {
      Integer site = sites.get(positions.bci);
      if (site == null) super.visitLookupSwitchInsn(other, keys, targets);
      else super.visitLookupSwitchInsn(trampoline(site, other), keys, trampolines(site, targets));
    }

    /** Comes after the last instruction, outside every protected range. */
    @Override
    public void visitMaxs(int stack, int mostLocals) {
      for (Object[] t : trampolines) {
        Label target = (Label) t[2];
        mv.visitLabel((Label) t[0]);
        Object[][] frame = frames.get((Integer) target.info);
        if (frame != null) mv.visitFrame(Opcodes.F_NEW, frame[0].length, frame[0], frame[1].length, frame[1]);
        edge((Integer) t[1], (Integer) target.info);
        mv.visitJumpInsn(Opcodes.GOTO, target);
      }
      super.visitMaxs(stack + 2, locals);
    }
  }

  /** "a.B.run()V:20" in running code as a position of the class file. */
  private String original(String position) {
    int colon = position.lastIndexOf(':');
    Map<Integer, Integer> known = originals.get(position.substring(0, colon));
    if (known == null) return position;
    return position.substring(0, colon + 1) + known.getOrDefault(Integer.parseInt(position.substring(colon + 1)), -1);
  }

  /** The class whose method runs if this one is called for an object of the class. */
  private static String ownerOf(String method, Class<?> type) {
    for (Class<?> c = type; c != null; c = c.getSuperclass()) {
      for (Method declared : c.getDeclaredMethods()) {
        if ((declared.getName() + Type.getMethodDescriptor(declared)).equals(method)) return c.getName();
      }
    }
    return type.getName(); // of an interface
  }

  private void write(Path output) {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(output))) {
      synchronized (originals) {
        ContextHits.each((key, count) -> {
          int site = (Integer) key.get(0);
          if (site < 0) return;
          Object outcome = key.get(1);
          String owner = outcome instanceof Class<?> type ? ownerOf(called.get(site), type) : "";
          out.print(sites.get(site) + "\t" + (owner.isEmpty() ? outcome : ((Class<?>) outcome).getName()) + "\t" + owner + "\t" + count);
          for (Object caller : key.subList(2, key.size())) out.print("\t" + original((String) caller));
          out.println();
        });
      }
    } catch (IOException e) {
      System.err.println("oracle: cannot write " + output + ": " + e);
    }
  }
}
