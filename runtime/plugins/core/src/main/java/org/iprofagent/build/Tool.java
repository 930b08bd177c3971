package org.iprofagent.build;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the {@code iprof} tool and waits for it. Threads: any. Failure: a BuildFailure if it cannot be run at all. */
final class Tool {
    /** What the tool's messages on stderr begin with, for example "iprof: warning: a.iprof: 81.27 % applicable …". */
    private static final String MESSAGE = "^iprof: (warning: |error: )?";
    private static final String COLUMNS = "160";

    private final Path path;
    private final Path workingFolder;

    Tool(Path path, Path workingFolder) {
        this.path = path;
        this.workingFolder = workingFolder;
    }

    /** How a command ended. */
    record Outcome(int code, List<String> lines) {
        /** What the tool says on stderr; all that it printed, if that is nothing. */
        String message() {
            List<String> said = lines.stream().filter(line -> line.startsWith("iprof: ")).map(line -> line.replaceFirst(MESSAGE, "")).toList();
            return String.join("\n", said.isEmpty() ? lines : said);
        }
    }

    Outcome run(List<String> arguments) throws BuildFailure {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).directory(workingFolder.toFile()).redirectErrorStream(true);
        builder.environment().put("COLUMNS", COLUMNS);
        List<String> lines = new ArrayList<>();
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = out.readLine(); line != null; line = out.readLine()) lines.add(line);
            }
            return new Outcome(process.waitFor(), lines);
        } catch (IOException why) {
            throw new BuildFailure("the tool cannot be run: " + why.getMessage(), why);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new BuildFailure("the build was interrupted", stopped);
        }
    }
}
