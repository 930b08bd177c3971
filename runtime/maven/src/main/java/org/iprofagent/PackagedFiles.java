package org.iprofagent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The native files in this artefact's jars, for programs that start other JVMs, such as build tools: the library, and the tool, which is
 * in the jar with the classifier {@code tool}. In the jars they are {@code native/x86_64-linux-glibc/libiprofagent.so} and so on, each
 * with its SHA-256 beside it.
 *
 * <p>Guarantees: a file is written whole or not at all, has the checksum that its jar names, and replaces a file in use by a rename.
 * One that is there already with the same bytes stays.
 *
 * <p>Threads: any. Failure: an AgentException of kind UNAVAILABLE that says what is missing.
 *
 * <p>Example: {@code library(Path.of("target/iprof"))} writes target/iprof/libiprofagent.so, for
 * {@code -agentpath:/project/target/iprof/libiprofagent.so=out=app.iprof}.
 */
public final class PackagedFiles {
    private static final String TOOL = "iprof";

    private PackagedFiles() {}

    /**
     * Writes the library for JVMs with the C library and processor of this one into a folder, which is made if it does not exist.
     *
     * @param folder where to
     * @return the library's absolute path
     */
    public static Path library(Path folder) {
        return write(ProcessFiles.LIBRARY, folder);
    }

    /**
     * Writes the {@code iprof} tool into a folder, which is made if it does not exist.
     *
     * @param folder where to
     * @return the tool's absolute path
     */
    public static Path tool(Path folder) {
        return write(TOOL, folder);
    }

    private static Path write(String name, Path folder) {
        byte[] bytes = verified(name, "");
        Path file = folder.toAbsolutePath().normalize().resolve(name);
        try {
            Files.createDirectories(file.getParent());
            if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), bytes)) return file;
            Path part = Files.createTempFile(file.getParent(), "." + name + ".", ".tmp");
            try {
                Files.write(part, bytes);
                Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwxr-xr-x"));
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(part);
            }
            return file;
        } catch (IOException why) {
            throw new AgentException(AgentException.Kind.UNAVAILABLE, file + " cannot be written: " + why.getMessage(), why);
        }
    }

    /** The bytes of a native file for this system. If there is none, the message ends with what to do otherwise. */
    static byte[] verified(String file, String otherwise) {
        String name = "native/" + target() + "/" + file;
        byte[] bytes = resource(name, otherwise);
        String wanted = new String(resource(name + ".sha256", otherwise), StandardCharsets.US_ASCII).strip();
        try {
            String found = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
            if (found.equals(wanted)) return bytes;
            throw new AgentException(AgentException.Kind.UNAVAILABLE,
                    "this jar is damaged: " + name + " has SHA-256 " + found + ", not " + wanted);
        } catch (NoSuchAlgorithmException none) {
            throw new AgentException(AgentException.Kind.UNAVAILABLE, "this Java runtime has no SHA-256", none);
        }
    }

    /** For example {@code x86_64-linux-glibc}: the names of the packages. */
    private static String target() {
        String processor = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        return processor + "-" + System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + (ProcessFiles.useMusl() ? "musl" : "glibc");
    }

    private static byte[] resource(String name, String otherwise) {
        try (InputStream in = PackagedFiles.class.getResourceAsStream("/" + name)) {
            if (in != null) return in.readAllBytes();
        } catch (IOException unreadable) {
            throw new AgentException(AgentException.Kind.UNAVAILABLE, "this jar cannot be read: " + unreadable, unreadable);
        }
        throw new AgentException(AgentException.Kind.UNAVAILABLE, "this jar has no " + name + otherwise);
    }
}
