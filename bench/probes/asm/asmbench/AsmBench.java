package asmbench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Usage: AsmBench shared|own JAR [FIRST]. "shared": the writer starts with the reader's constant pool. Keeps the jar's
 * classes in memory (the first FIRST of them) and rewrites all of them once for each input line "pass". It answers
 * with "ns=… cpu_ns=… classes=… bytes_in=… bytes_out=… probes=… left_alone=…"; the CPU time is that of this thread,
 * without the JVM's compilers and collectors. A line "write FILE" writes the rewritten classes as a jar, so that a
 * test can run them.
 */
public final class AsmBench {
  private AsmBench() {}

  public static void main(String[] args) throws IOException {
    List<String> names = new ArrayList<>();
    List<byte[]> classes = new ArrayList<>();
    int first = args.length > 2 ? Integer.parseInt(args[2]) : Integer.MAX_VALUE;
    try (ZipFile zip = new ZipFile(args[1])) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.getName().endsWith(".class") || classes.size() == first) continue;
        names.add(entry.getName());
        classes.add(zip.getInputStream(entry).readAllBytes());
      }
    }
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    AsmRewriter rewriter = new AsmRewriter(args[0].equals("shared"));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      if (line.equals("pass")) {
        pass(rewriter, classes);
      } else {
        write(rewriter, names, classes, Path.of(line.substring("write ".length())));
      }
    }
  }

  private static void pass(AsmRewriter rewriter, List<byte[]> classes) {
    long in = 0;
    long out = 0;
    int leftAlone = 0;
    rewriter.probes = 0;
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long cpuStart = threads.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    for (byte[] original : classes) {
      in += original.length;
      try {
        out += rewriter.rewrite(original).length;
      } catch (RuntimeException tooLarge) {
        leftAlone++;
      }
    }
    long ns = System.nanoTime() - start;
    long cpu = threads.getCurrentThreadCpuTime() - cpuStart;
    System.out.printf("ns=%d cpu_ns=%d classes=%d bytes_in=%d bytes_out=%d probes=%d left_alone=%d%n", ns, cpu,
        classes.size(), in, out, rewriter.probes, leftAlone);
  }

  private static void write(AsmRewriter rewriter, List<String> names, List<byte[]> classes, Path target)
      throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(target))) {
      zip.setMethod(ZipOutputStream.STORED);
      for (int i = 0; i < names.size(); i++) {
        byte[] bytes = classes.get(i);
        try {
          bytes = rewriter.rewrite(bytes);
        } catch (RuntimeException leftAlone) {
          // as it was
        }
        CRC32 crc = new CRC32();
        crc.update(bytes);
        ZipEntry entry = new ZipEntry(names.get(i));
        entry.setSize(bytes.length);
        entry.setCompressedSize(bytes.length);
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
      }
    }
    System.out.println("written");
  }
}
