package oracle;

import static org.objectweb.asm.Opcodes.*;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;

/**
 * Usage: FrameOracle EVERY ORIGINAL.jar REWRITTEN.jar [LIBRARY.jar…]. Checks rewritten stack maps: ASM discards the
 * frames of each class and computes them again from the code (COMPUTE_FRAMES). For every frame that ASM needs, the
 * class must have one, and ASM's frame must be assignable to it by the verifier's rules: the same stack depth, and each
 * stack value and each local assignable. A frame may declare a local unusable for which ASM knows a type (a dead local,
 * or one that only we use, inside one insertion), and may be more general than ASM's frame, but never more specific.
 * Objects under construction must be exactly the same.
 *
 * <p>Every EVERYth class is checked, and always the four that HotSpot never verifies. Methods with unreachable code are
 * left out, because ASM replaces it, and so are comparisons that need missing classes. A method that differs already
 * without rewriting does not count. Prints the differences and a line of totals; exit code 1 if there are differences.
 */
public final class FrameOracle {
  private static final Set<String> UNVERIFIED_BY_HOTSPOT = Set.of(
      "java/lang/Object.class", "java/lang/String.class", "java/lang/Class.class", "java/lang/Throwable.class");

  private final Hierarchy hierarchy;
  private int classes;
  private int frames;
  private int unreachable;
  private int unknown;

  private FrameOracle(Hierarchy hierarchy) {
    this.hierarchy = hierarchy;
  }

  public static void main(String[] args) throws IOException {
    int every = Integer.parseInt(args[0]);
    List<String> jars = new ArrayList<>(List.of(args[1]));
    jars.addAll(Arrays.asList(args).subList(3, args.length));
    FrameOracle oracle = new FrameOracle(new Hierarchy(jars));
    int failures = 0;
    int already = 0;
    int position = 0;
    try (ZipFile originals = new ZipFile(args[1]); ZipFile rewritten = new ZipFile(args[2])) {
      for (ZipEntry entry : Collections.list(rewritten.entries())) {
        String name = entry.getName();
        if (!name.endsWith(".class") || name.endsWith("module-info.class")) continue;
        if (position++ % every != 0 && !UNVERIFIED_BY_HOTSPOT.contains(name)) continue;
        byte[] bytes = rewritten.getInputStream(entry).readAllBytes();
        List<String> differences = oracle.differences(bytes);
        if (differences.isEmpty()) continue;
        Set<String> before = new HashSet<>();
        byte[] original = originals.getInputStream(originals.getEntry(name)).readAllBytes();
        for (String difference : new FrameOracle(oracle.hierarchy).differences(original)) {
          before.add(method(difference));
        }
        for (String difference : differences) {
          if (before.contains(method(difference))) {
            already++;
          } else {
            failures++;
            System.out.println("FAILURE " + name + " " + difference);
          }
        }
      }
    }
    System.out.printf("classes=%d frames=%d unreachable_methods=%d unknown=%d already_untouched=%d failures=%d%n",
        oracle.classes, oracle.frames, oracle.unreachable, oracle.unknown, already, failures);
    System.exit(failures == 0 ? 0 : 1);
  }

  private static String method(String difference) {
    return difference.substring(0, difference.indexOf(' '));
  }

  private List<String> differences(byte[] bytes) {
    List<String> found = new ArrayList<>();
    if (bytes.length < 8 || bytes[6] != 0 || bytes[7] < 50) return found;
    Map<String, MethodFrames> ours;
    Map<String, MethodFrames> derived;
    try {
      ClassReader reader = new ClassReader(bytes);
      ours = MethodFrames.of(reader);
      derived = MethodFrames.of(new ClassReader(recomputed(reader)));
    } catch (Hierarchy.Unknown missing) {
      unknown++;
      return found;
    } catch (RuntimeException malformed) {
      return found;  // ASM cannot read it (a malformed class of a corpus)
    }
    classes++;
    ours.forEach((name, method) -> {
      MethodFrames other = derived.get(name);
      if (!method.sameCode(other)) {
        unreachable++;
        return;
      }
      other.frames.forEach((at, frame) -> {
        frames++;
        MethodFrames.Frame mine = method.frames.get(at);
        String why;
        try {
          why = mine == null ? "no frame" : objection(frame, mine);
        } catch (Hierarchy.Unknown missing) {
          unknown++;
          return;
        }
        if (why != null) found.add(name + " instruction " + at + ": " + why + "; derived " + frame + ", is " + mine);
      });
    });
    return found;
  }

  private byte[] recomputed(ClassReader reader) {
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_FRAMES) {
      @Override
      protected String getCommonSuperClass(String a, String b) {
        return hierarchy.commonSuperClass(a, b);
      }
    };
    // The visitors in between keep ASM from copying methods unchanged.
    reader.accept(new ClassVisitor(ASM9, writer) {
      @Override
      public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        return new MethodVisitor(ASM9, super.visitMethod(access, name, descriptor, signature, thrown)) {};
      }
    }, ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
    return writer.toByteArray();
  }

  /** Why ASM's frame is not assignable to ours, or null. */
  private String objection(MethodFrames.Frame derived, MethodFrames.Frame ours) {
    if (derived.stack().size() != ours.stack().size()) return "stack depth";
    if (derived.hasUninitializedThis() != ours.hasUninitializedThis()) return "uninitializedThis";
    for (int i = 0; i < ours.stack().size(); i++) {
      if (!flows(derived.stack().get(i), ours.stack().get(i))) return "stack value " + i;
    }
    for (int i = 0; i < ours.locals().size(); i++) {
      Object from = i < derived.locals().size() ? derived.locals().get(i) : TOP;
      if (!flows(from, ours.locals().get(i))) return "local " + i;
    }
    return null;
  }

  private boolean flows(Object from, Object to) {
    if (to.equals(TOP) || from.equals(to)) return true;
    if (from.equals(NULL)) return to instanceof String;
    return from instanceof String a && to instanceof String b && hierarchy.isAssignable(a, b);
  }
}
