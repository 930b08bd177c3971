package generator;

import static org.objectweb.asm.Opcodes.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Usage: Generate programs|extremes OUT.jar. Writes the generated classes, deterministically. */
public final class Generate {
  private Generate() {}

  public static void main(String[] args) throws IOException {
    Map<String, byte[]> classes = args[0].equals("extremes") ? ExtremePrograms.all() : programs();
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(Path.of(args[1])))) {
      for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
        zip.putNextEntry(new ZipEntry("behaviour/" + entry.getKey() + ".class"));
        zip.write(entry.getValue());
        zip.closeEntry();
      }
    }
  }

  private static Map<String, byte[]> programs() {
    Map<String, byte[]> classes = new TreeMap<>();
    for (int version : new int[] {V1_1, V1_3, V1_5, V1_6, V1_7, V17}) {
      String suffix = String.valueOf(ProgramClass.major(version));
      classes.put("Opcodes" + suffix, OpcodePrograms.all("Opcodes" + suffix, version));
      classes.put("Flow" + suffix, FlowPrograms.all("Flow" + suffix, version));
      classes.put("Unreachable" + suffix, FlowPrograms.unreachable("Unreachable" + suffix, version));
      classes.put("LongForms" + suffix, LongFormPrograms.all("LongForms" + suffix, version));
      if (ProgramClass.major(version) <= V1_5) {
        classes.put("Subroutines" + suffix, SubroutinePrograms.all("Subroutines" + suffix, version));
      }
    }
    classes.put("Constants", ConstantPrograms.all("Constants"));
    return classes;
  }
}
