package verify;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Usage: ExtractModules FOLDER. Writes one uncompressed jar for each module of the JVM that runs it. */
public final class ExtractModules {
  private ExtractModules() {}

  public static void main(String[] args) throws IOException {
    Path folder = Files.createDirectories(Path.of(args[0]));
    FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
    List<Path> modules;
    try (Stream<Path> roots = Files.list(image.getPath("modules"))) {
      modules = roots.sorted().toList();
    }
    for (Path root : modules) write(root, folder.resolve(root.getFileName() + ".jar"));
  }

  private static void write(Path root, Path jar) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(root)) {
      files = walk.filter(p -> p.toString().endsWith(".class")).sorted().toList();
    }
    try (OutputStream raw = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(raw)) {
      zip.setMethod(ZipOutputStream.STORED);
      for (Path file : files) {
        byte[] bytes = Files.readAllBytes(file);
        CRC32 crc = new CRC32();
        crc.update(bytes);
        ZipEntry entry = new ZipEntry(root.relativize(file).toString());
        entry.setSize(bytes.length);
        entry.setCompressedSize(bytes.length);
        entry.setCrc(crc.getValue());
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
      }
    }
  }
}
