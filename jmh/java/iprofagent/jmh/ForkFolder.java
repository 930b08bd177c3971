package iprofagent.jmh;

import java.nio.file.Path;

/**
 * What JMH's own JVM and one fork share: a folder, whose name the fork has as a system property.
 *
 * <p>Its name has no character that has a meaning in the agent's options and commands.
 */
record ForkFolder(Path path) {
    private static final String PROPERTY = "iprof.jmh.folder";

    /** Of this JVM, if it is a fork; else null. */
    static ForkFolder ofThisJvm() {
        String path = System.getProperty(PROPERTY);
        return path == null ? null : new ForkFolder(Path.of(path));
    }

    String asJvmOption() {
        return "-D" + PROPERTY + "=" + path;
    }

    /** The socket on which the agent takes commands. */
    Path control() {
        return path.resolve("control");
    }

    Path log() {
        return path.resolve("log");
    }

    /** The file that the agent names its own; what is written is in the files of the iterations. */
    Path out() {
        return path.resolve("fork.iprof");
    }

    Path profileOfIteration(int number) {
        return path.resolve("iteration-" + number + ".iprof");
    }
}
