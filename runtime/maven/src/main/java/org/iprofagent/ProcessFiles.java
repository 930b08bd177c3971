package org.iprofagent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files that this process has mapped, by the kernel's list.
 *
 * <p>Threads: any. Failure: an AgentException where there is no such list, so on other systems than Linux.
 */
final class ProcessFiles {
    /** The library has this name wherever it is; the iprof tool knows it by it, too. */
    static final String LIBRARY = "libiprofagent.so";

    private static final String DELETED = " (deleted)";
    private static final int COLUMNS_BEFORE_PATH = 5;

    private ProcessFiles() {}

    /** The agent's library, if this process has loaded it in any way. */
    static Optional<String> agentLibrary() {
        return paths().lines().filter(path -> path.endsWith("/" + LIBRARY)).findFirst();
    }

    /** Whether the C library is musl, as on Alpine. */
    static boolean useMusl() {
        return paths().lines().anyMatch(path -> path.substring(path.lastIndexOf('/') + 1).startsWith("ld-musl-"));
    }

    /** Of each mapping that has a file, a line. */
    private static String paths() {
        StringBuilder paths = new StringBuilder();
        for (String line : list().split("\n")) {
            // start-end access offset device inode    path
            String[] columns = line.split(" +", COLUMNS_BEFORE_PATH + 1);
            if (columns.length <= COLUMNS_BEFORE_PATH || !columns[COLUMNS_BEFORE_PATH].startsWith("/")) continue;
            String path = columns[COLUMNS_BEFORE_PATH];
            paths.append(path.endsWith(DELETED) ? path.substring(0, path.length() - DELETED.length()) : path).append('\n');
        }
        return paths.toString();
    }

    private static String list() {
        try {
            // Linux gives paths as bytes; in what follows only ASCII matters.
            return new String(Files.readAllBytes(Path.of("/proc/self/maps")), StandardCharsets.UTF_8);
        } catch (IOException | UncheckedIOException none) {
            throw new AgentException(AgentException.Kind.UNAVAILABLE, "iprofagent works on Linux, with /proc: " + none, none);
        }
    }
}
