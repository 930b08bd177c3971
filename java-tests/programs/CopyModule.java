import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.stream.Stream;

/** Copies the class files of a module of the JVM that runs it into a folder: {@code CopyModule java.base FOLDER}. */
public final class CopyModule {
    public static void main(String[] args) throws IOException {
        Path module = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", args[0]);
        try (Stream<Path> files = Files.walk(module)) {
            for (Iterator<Path> each = files.iterator(); each.hasNext();) {
                Path file = each.next();
                if (!file.toString().endsWith(".class")) {
                    continue;
                }
                Path to = Path.of(args[1], module.relativize(file).toString());
                Files.createDirectories(to.getParent());
                Files.write(to, Files.readAllBytes(file));
            }
        }
    }
}
