package org.iprofagent;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * A new folder of this user, which no other user can read, fill or replace. Closing it removes it with its files.
 *
 * <p>Guarantees: the folder has mode 0700 and its files 0600. Each file is created new (O_EXCL), so no link is followed and
 * nothing is overwritten. The way to it has no other user's symbolic link, and no folder in which others can rename.
 *
 * <p>Failure: IOException that says which folder and why; then nothing is left.
 */
final class PrivateFolder implements AutoCloseable {
    /** The place for such folders, if not the one of temporary files. */
    static final String PLACE = "org.iprofagent.folder";

    private static final int MOST_LINKS = 40;
    private static final int WRITABLE_BY_OTHERS = 0002;
    private static final int STICKY = 01000;
    private static final int ROOT = 0;

    private final Path path;

    private PrivateFolder(Path path) {
        this.path = path;
    }

    static Path place() {
        return Path.of(System.getProperty(PLACE, System.getProperty("java.io.tmpdir"))).toAbsolutePath();
    }

    static PrivateFolder make(String prefix) throws IOException {
        return make(place(), prefix);
    }

    static PrivateFolder make(Path place, String prefix) throws IOException {
        Path made;
        try {
            made = Files.createTempDirectory(place, prefix, mode("rwx------"));
        } catch (NoSuchFileException none) {
            throw new IOException("there is no folder " + place + "; -D" + PLACE + "=DIR names another", none);
        } catch (IOException refused) {
            throw new IOException("no folder can be made in " + place + " (" + refused.getMessage() + "); -D" + PLACE + "=DIR names another",
                    refused);
        }
        try {
            check(place, owner(made), MOST_LINKS);
            return new PrivateFolder(made.toRealPath());
        } catch (IOException unsafe) {
            Files.deleteIfExists(made);
            throw unsafe;
        }
    }

    Path path() {
        return path;
    }

    Path write(String name, byte[] bytes) throws IOException {
        return writeNew(path.resolve(name), bytes);
    }

    /** A file of mode 0600, whose name must be free. */
    static Path writeNew(Path file, byte[] bytes) throws IOException {
        Set<StandardOpenOption> isNew = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        try (OutputStream out = Channels.newOutputStream(Files.newByteChannel(file, isNew, mode("rw-------")))) {
            out.write(bytes);
        }
        return file;
    }

    /** Removes the folder and its files as far as possible. */
    @Override
    public void close() {
        remove(path);
    }

    static void remove(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        } catch (IOException stays) {
            // It is private, and a later start looks again for folders that were left behind.
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /** Each part of an absolute path: links must be this user's or root's, and folders must not let others rename in them. */
    private static void check(Path place, int user, int links) throws IOException {
        for (Path part = place; part != null; part = part.getParent()) {
            Map<String, Object> facts = Files.readAttributes(part, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
            int mode = (Integer) facts.get("mode");
            int uid = (Integer) facts.get("uid");
            if (Files.isSymbolicLink(part)) {
                if (uid != user && uid != ROOT) throw new IOException("the link " + part + " belongs to another user and is not followed");
                if (links == 0) throw new IOException("too many links lead to " + place);
                check(part.resolveSibling(Files.readSymbolicLink(part)).normalize(), user, links - 1);
            } else if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
                throw new IOException("every user can rename what is in " + part + "; -D" + PLACE + "=DIR names another folder");
            }
        }
    }
}
