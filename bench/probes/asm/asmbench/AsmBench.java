package asmbench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Usage: AsmBench shared|own JAR [FIRST]. "shared": the writer starts with the reader's constant pool. Keeps the jar's
 * classes in memory (the first FIRST of them) and rewrites all of them once for each line of input. It answers with
 * "ns=… cpu_ns=… classes=… bytes_in=… bytes_out=… probes=… left_alone=…"; the CPU time is that of this thread, without
 * the JVM's compilers and collectors.
 */
public final class AsmBench {
  private AsmBench() {}

  public static void main(String[] args) throws IOException {
    List<byte[]> classes = new ArrayList<>();
    int first = args.length > 2 ? Integer.parseInt(args[2]) : Integer.MAX_VALUE;
    try (ZipFile zip = new ZipFile(args[1])) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.getName().endsWith(".class") || classes.size() == first) continue;
        classes.add(zip.getInputStream(entry).readAllBytes());
      }
    }
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    AsmRewriter rewriter = new AsmRewriter(args[0].equals("shared"));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      pass(rewriter, classes);
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
}
