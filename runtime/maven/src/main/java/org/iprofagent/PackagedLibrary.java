package org.iprofagent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * The native library of this jar that this JVM loads.
 *
 * <p>Guarantees: what is given out is the library for this system, with the checksum that the jar names (PackagedFiles), in a PrivateFolder.
 * The folder is removed when the JVM ends; one that a killed JVM left is removed by a later JVM of the same user.
 *
 * <p>Failure: an AgentException of kind UNAVAILABLE that says what is missing.
 */
final class PackagedLibrary {
    /** A library to take instead of the packaged one. */
    static final String INSTEAD = "org.iprofagent.library";

    private static final String PREFIX = "iprof-agent-";
    private static final String LOCK = "lock";
    private static final Duration LEFT_BEHIND_AFTER = Duration.ofHours(1);

    // Open, and so locked, as long as this process lives.
    private static FileChannel lock;

    private PackagedLibrary() {}

    /** The path of a library that this JVM can load. */
    static String place() {
        String instead = System.getProperty(INSTEAD);
        if (instead != null) return Path.of(instead).toAbsolutePath().toString();
        byte[] library = PackagedFiles.verified(ProcessFiles.LIBRARY, "; -D" + INSTEAD + "=FILE names a library");
        try {
            removeLeftBehind();
            return write(library).toString();
        } catch (IOException why) {
            throw new AgentException(AgentException.Kind.UNAVAILABLE, "the agent's library cannot be written: " + why.getMessage(), why);
        }
    }

    private static Path write(byte[] library) throws IOException {
        PrivateFolder folder = PrivateFolder.make(PREFIX);
        try {
            Path lockFile = folder.write(LOCK, new byte[0]);
            lock = FileChannel.open(lockFile, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            if (lock.tryLock() == null) throw new IOException(lockFile + " cannot be locked");
            Path file = folder.write(ProcessFiles.LIBRARY, library);
            // What is named first is removed last.
            for (Path each : new Path[] {folder.path(), lockFile, file}) each.toFile().deleteOnExit();
            return file;
        } catch (IOException | IllegalStateException failed) {
            folder.close();
            if (failed instanceof IOException why) throw why;
            throw new IOException("the JVM is ending", failed);
        }
    }

    private static void removeLeftBehind() {
        Path place = PrivateFolder.place();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(place, PREFIX + "*")) {
            int user = PrivateFolder.owner(Path.of("/proc/self/maps"));
            for (Path folder : folders) {
                if (PrivateFolder.owner(folder) == user && isLeftBehind(folder)) PrivateFolder.remove(folder);
            }
        } catch (IOException | UncheckedIOException | DirectoryIteratorException stays) {
            // It is only tidying.
        }
    }

    private static boolean isLeftBehind(Path folder) throws IOException {
        FileTime made = Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS);
        boolean isOld = made.toInstant().isBefore(Instant.now().minus(LEFT_BEHIND_AFTER));
        if (!isOld || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) return false;
        try (FileChannel file = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock held = file.tryLock()) {
            return held != null;
        } catch (NoSuchFileException noLock) {
            return true;
        } catch (OverlappingFileLockException ours) {
            return false;
        }
    }
}
