package generator;

import java.io.IOException;
import java.util.Collections;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.util.Printer;

/** Usage: OpcodeCoverage JAR. Fails unless the jar's code contains every opcode of the JVM, including wide forms. */
public final class OpcodeCoverage {
  private OpcodeCoverage() {}

  public static void main(String[] args) throws IOException {
    TreeSet<String> missing = new TreeSet<>();
    for (int opcode = 0; opcode <= 201; opcode++) {
      if (opcode != 196) missing.add(name(opcode, false));
    }
    for (int opcode : new int[] {21, 22, 23, 24, 25, 54, 55, 56, 57, 58, 132, 169}) missing.add(name(opcode, true));
    int wanted = missing.size();
    TreeMap<String, Integer> unused = new TreeMap<>();
    try (ZipFile zip = new ZipFile(args[0])) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.getName().endsWith(".class")) continue;
        CodeBytes code = new CodeBytes(zip.getInputStream(entry).readAllBytes());
        for (String method : code.methods.keySet()) {
          code.visit(method, (at, opcode, wide) -> {
            missing.remove(name(opcode, wide));
            if (opcode > 201) unused.merge(name(opcode, wide), 1, Integer::sum);
          });
        }
      }
    }
    System.out.println("opcodes: " + (wanted - missing.size()) + " of " + wanted + " forms occur; missing: " + missing);
    System.exit(missing.isEmpty() && unused.isEmpty() ? 0 : 1);
  }

  private static String name(int opcode, boolean wide) {
    String plain = opcode == 200 ? "GOTO_W" : opcode == 201 ? "JSR_W" : opcode < Printer.OPCODES.length
        ? Printer.OPCODES[opcode] : "";
    if (plain.isEmpty()) plain = "0x" + Integer.toHexString(opcode);  // the short forms have no name in ASM
    return (wide ? "wide " : "") + plain;
  }
}
