package org.iprofagent.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folder with the profiles that a build's JVMs write, for example target/iprof with tests.iprof and load.iprof.
 *
 * <p>Threads: any. Failure: a BuildFailure.
 */
final class Recordings {
    private static final List<String> SUFFIXES = List.of(".iprof", ".iprof.gz", ".iraw");
    private static final Path LOCKS = Path.of("/proc/locks");
    private static final long LOOK_EVERY_MS = 100;

    private final Path folder;

    Recordings(Path folder) {
        this.folder = folder;
    }

    /** Makes the folder, and removes what earlier builds recorded there: it is of other code. */
    void makeRoom(Instant start) throws BuildFailure {
        try {
            Files.createDirectories(folder);
            for (Path file : files()) {
                if (Files.getLastModifiedTime(file).toInstant().isBefore(start)) Files.deleteIfExists(file);
            }
        } catch (IOException why) {
            throw new BuildFailure(folder + " cannot be prepared: " + why.getMessage(), why);
        }
    }

    boolean isEmpty() throws BuildFailure {
        return files().isEmpty();
    }

    /** The file of a run, such as "load". */
    Optional<Path> of(String run) {
        return SUFFIXES.stream().map(suffix -> folder.resolve(run + suffix)).filter(Files::exists).findFirst();
    }

    private List<Path> files() throws BuildFailure {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(path -> SUFFIXES.stream().anyMatch(path.toString()::endsWith)).sorted().toList();
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException why) {
            throw new BuildFailure(folder + " cannot be read: " + why.getMessage(), why);
        }
    }

    /**
     * Waits for JVMs that still write here, such as a server that was told to end a moment ago: while one records NAME.iprof, it has
     * locked .NAME.iprof.lock. Says what is still recorded when the patience ends.
     */
    List<String> awaitEnd(Duration patience) throws BuildFailure {
        Instant end = Instant.now().plus(patience);
        for (;;) {
            List<String> held = held();
            if (held.isEmpty() || Instant.now().isAfter(end)) return held;
            try {
                Thread.sleep(LOOK_EVERY_MS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new BuildFailure("the build was interrupted", stopped);
            }
        }
    }

    private List<String> held() {
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> files = all.filter(path -> path.getFileName().toString().matches("\\..*\\.lock")).toList();
            if (files.isEmpty()) return List.of();
            String locks = Files.readString(LOCKS);
            // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:9986061 0 EOF". A file without a lock is what a killed JVM left.
            return files.stream().filter(file -> locks.contains(":" + inode(file) + " ")).map(file -> file.getFileName().toString())
                    .map(name -> name.substring(1, name.length() - ".lock".length())).sorted().toList();
        } catch (IOException none) {
            return List.of();
        }
    }

    private static String inode(Path file) {
        try {
            return Files.getAttribute(file, "unix:ino").toString();
        } catch (IOException gone) {
            return "gone";
        }
    }
}
