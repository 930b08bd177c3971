package oracle;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import oracle.hits.Hits;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent that counts every method entry and every edge of every branch of application classes, and writes the
 * counts as JSON when the JVM ends. It has an atomic counter for each edge and uses another library for class files, so
 * that it shares neither code nor method with what it checks.
 *
 * <p>Options: {@code OUTPUT;HITS_JAR;PREFIX[;PREFIX...]}, a class is counted if its internal name begins with a prefix.
 */
public final class CountingOracle implements ClassFileTransformer {
  private static final class Site {
    final int bci;
    final boolean isSwitch;
    final List<int[]> edges = new ArrayList<>(); // bci of the target (set after reading), counter

    Site(int bci, boolean isSwitch) {
      this.bci = bci;
      this.isSwitch = isSwitch;
    }
  }

  private static final class Counted {
    final int entry;
    final List<Site> sites = new ArrayList<>();

    Counted(int entry) {
      this.entry = entry;
    }
  }

  private final String[] prefixes;
  private final Map<String, Map<String, List<Counted>>> classes = new TreeMap<>();

  private CountingOracle(String[] options) {
    prefixes = java.util.Arrays.copyOfRange(options, 2, options.length);
  }

  public static void premain(String text, Instrumentation instrumentation) throws IOException {
    String[] options = text.split(";");
    instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(options[1]));
    start(options, instrumentation);
  }

  private static void start(String[] options, Instrumentation instrumentation) {
    CountingOracle oracle = new CountingOracle(options);
    Hits.hit(Hits.next());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> oracle.write(Path.of(options[0]))));
    instrumentation.addTransformer(oracle);
  }

  @Override
  public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
    if (name == null || redefined != null) return null;
    for (String prefix : prefixes) {
      if (!name.startsWith(prefix)) continue;
      try {
        return rewrite(name.replace('/', '.'), bytes);
      } catch (RuntimeException e) {
        System.err.println("oracle: " + name + " is left out: " + e);
        return null;
      }
    }
    return null;
  }

  /** Returns the bci of the instruction that is visited next, and of every label. */
  private static final class Positions extends ClassReader {
    int bci;

    Positions(byte[] bytes) {
      super(bytes);
    }

    @Override
    protected void readBytecodeInstructionOffset(int offset) {
      bci = offset;
    }

    /** Every label is made here, together with its position. */
    @Override
    protected Label readLabel(int offset, Label[] labels) {
      if (labels[offset] == null) {
        labels[offset] = new Label();
        labels[offset].info = new int[] {offset};
      }
      return labels[offset];
    }
  }

  private byte[] rewrite(String name, byte[] bytes) {
    Positions reader = new Positions(bytes);
    ClassWriter writer = new ClassWriter(0);
    Map<String, Counted> found = new TreeMap<>();
    reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
      @Override
      public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] throwing) {
        MethodVisitor next = super.visitMethod(access, method, descriptor, signature, throwing);
        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) return next;
        Counted counted = new Counted(Hits.next());
        found.put(method + descriptor, counted);
        return new Counting(next, reader, counted);
      }
    }, ClassReader.EXPAND_FRAMES);
    byte[] rewritten = writer.toByteArray();
    synchronized (classes) {
      Map<String, List<Counted>> methods = classes.computeIfAbsent(name, n -> new TreeMap<>());
      found.forEach((method, counted) -> methods.computeIfAbsent(method, m -> new ArrayList<>()).add(counted));
    }
    return rewritten;
  }

  private static final class Counting extends MethodVisitor {
    private final Positions positions;
    private final Counted counted;
    private final List<Object[]> trampolines = new ArrayList<>(); // label, counter, target
    private final Map<Integer, Object[][]> frames = new TreeMap<>(); // bci to locals and stack

    Counting(MethodVisitor next, Positions positions, Counted counted) {
      super(Opcodes.ASM9, next);
      this.positions = positions;
      this.counted = counted;
    }

    private void hit(int counter) {
      mv.visitLdcInsn(counter);
      mv.visitMethodInsn(Opcodes.INVOKESTATIC, "oracle/hits/Hits", "hit", "(I)V", false);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      hit(counted.entry);
    }

    @Override
    public void visitFrame(int type, int localCount, Object[] locals, int stackCount, Object[] stack) {
      frames.put(positions.bci, new Object[][] {
        java.util.Arrays.copyOf(locals, localCount), java.util.Arrays.copyOf(stack, stackCount)});
      super.visitFrame(type, localCount, locals, stackCount, stack);
    }

    private Label trampoline(Site site, Label target) {
      int counter = Hits.next();
      Label label = new Label();
      trampolines.add(new Object[] {label, counter, target});
      site.edges.add(new int[] {((int[]) target.info)[0], counter});
      return label;
    }

    @Override
    public void visitJumpInsn(int opcode, Label target) {
      if (opcode == Opcodes.GOTO || opcode == Opcodes.JSR) {
        super.visitJumpInsn(opcode, target);
        return;
      }
      Site site = new Site(positions.bci, false);
      counted.sites.add(site);
      super.visitJumpInsn(opcode, trampoline(site, target));
      int counter = Hits.next();
      site.edges.add(new int[] {positions.bci + 3, counter});
      hit(counter);
    }

    private Label[] trampolines(Site site, Label[] targets) {
      Label[] labels = new Label[targets.length];
      for (int i = 0; i < labels.length; i++) labels[i] = trampoline(site, targets[i]);
      return labels;
    }

    @Override
    public void visitTableSwitchInsn(int low, int high, Label other, Label... targets) {
      Site site = new Site(positions.bci, true);
      counted.sites.add(site);
      Label[] labels = trampolines(site, targets);
      super.visitTableSwitchInsn(low, high, trampoline(site, other), labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label other, int[] keys, Label[] targets) {
      Site site = new Site(positions.bci, true);
      counted.sites.add(site);
      Label[] labels = trampolines(site, targets);
      super.visitLookupSwitchInsn(trampoline(site, other), keys, labels);
    }

    /** Comes after the last instruction, outside every protected range. */
    @Override
    public void visitMaxs(int stack, int locals) {
      for (Object[] t : trampolines) {
        mv.visitLabel((Label) t[0]);
        Object[][] frame = frames.get(((int[]) ((Label) t[2]).info)[0]); // the frame at the edge's target
        if (frame != null) mv.visitFrame(Opcodes.F_NEW, frame[0].length, frame[0], frame[1].length, frame[1]);
        hit((Integer) t[1]);
        mv.visitJumpInsn(Opcodes.GOTO, (Label) t[2]);
      }
      super.visitMaxs(stack + 1, locals); // the argument of hit
    }
  }

  private static long sum(List<Counted> loads, java.util.function.ToIntFunction<Counted> counter) {
    long sum = 0;
    for (Counted load : loads) sum += Hits.get(counter.applyAsInt(load));
    return sum;
  }

  private void write(Path output) {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(output))) {
      out.print("{");
      String separator = "";
      synchronized (classes) {
        for (Map.Entry<String, Map<String, List<Counted>>> type : classes.entrySet()) {
          out.print(separator + "\n\"" + type.getKey() + "\":{");
          separator = ",";
          String inner = "";
          for (Map.Entry<String, List<Counted>> method : type.getValue().entrySet()) {
            out.print(inner + "\n \"" + method.getKey() + "\":");
            inner = ",";
            writeMethod(out, method.getValue());
          }
          out.print("}");
        }
      }
      out.println("}");
    } catch (IOException e) {
      System.err.println("oracle: cannot write " + output + ": " + e);
    }
  }

  /** Several loaders may have defined a name: their counts are added up site by site. */
  private static void writeMethod(PrintWriter out, List<Counted> loads) {
    Map<Integer, List<Site>> sites = new TreeMap<>();
    for (Counted load : loads) {
      for (Site site : load.sites) sites.computeIfAbsent(site.bci, b -> new ArrayList<>()).add(site);
    }
    out.print("{\"calls\":" + sum(loads, load -> load.entry) + ",\"branches\":{");
    String separator = "";
    StringBuilder switches = new StringBuilder();
    for (Map.Entry<Integer, List<Site>> entry : sites.entrySet()) {
      out.print(separator + "\"" + entry.getKey() + "\":[");
      separator = ",";
      Site first = entry.getValue().get(0);
      for (int edge = 0; edge < first.edges.size(); edge++) {
        long n = 0;
        for (Site site : entry.getValue()) {
          if (edge < site.edges.size()) n += Hits.get(site.edges.get(edge)[1]);
        }
        out.print((edge > 0 ? "," : "") + "[" + first.edges.get(edge)[0] + "," + n + "]");
      }
      out.print("]");
      if (first.isSwitch) switches.append(switches.length() > 0 ? "," : "").append("\"" + entry.getKey() + "\":true");
    }
    out.print("},\"switches\":{" + switches + "}}");
  }
}
