package org.iprofagent.build;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

import org.iprofagent.AgentException;
import org.iprofagent.PackagedFiles;

/**
 * The agent's library and the tool that a build uses: the files that its user names, or those of the artefact {@code iprof-agent}, which
 * are written to a folder of the build.
 *
 * <p>Failure: a BuildFailure that says what is missing.
 */
public final class Natives {
    private Natives() {}

    /** Where the packaged files go, below the folder for profiles. */
    public static Path folder(Path profiles) {
        return profiles.resolve("native");
    }

    /** The library's path before it is written, for builds that fix command lines early. */
    public static Path libraryPath(Path named, Path folder) {
        return (named != null ? named : folder.resolve("libiprofagent.so")).toAbsolutePath().normalize();
    }

    public static Path library(Path named, Path folder) throws BuildFailure {
        return place("library", named, folder, PackagedFiles::library);
    }

    public static Path tool(Path named, Path folder) throws BuildFailure {
        return place("tool", named, folder, PackagedFiles::tool);
    }

    private static Path place(String what, Path named, Path folder, Function<Path, Path> packaged) throws BuildFailure {
        if (named != null) {
            if (!Files.isRegularFile(named)) throw new BuildFailure("there is no " + what + " " + named);
            return named.toAbsolutePath().normalize();
        }
        try {
            return packaged.apply(folder);
        } catch (AgentException none) {
            throw new BuildFailure("iprof-agent has no " + what + " for this system (" + none.getMessage() + "); name a file with iprof."
                    + what, none);
        }
    }
}
