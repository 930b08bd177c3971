package iprofagent.jmh;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The program iprof, which works on profiles. */
record Tool(Path program) {
    /** Several profiles as one. */
    void merge(List<Path> profiles, Path result) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("merge", "-o", result.toString()));
        profiles.forEach(profile -> arguments.add(profile.toString()));
        run(arguments);
    }

    /** What is in a profile, as JSON: everything but the samples, of which only the hottest methods. */
    List<String> show(Path profile, int rows) throws IOException {
        return List.of(
                run(List.of("show", "--format", "json", "--all", "--table", "calls", "--table", "branches", "--table", "receivers",
                        profile.toString())),
                run(List.of("show", "--format", "json", "--table", "samples", "-n", Integer.toString(Math.max(rows, 1)), profile.toString())));
    }

    private String run(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        Path said = Files.createTempFile("iprof", ".err");
        try {
            Process process = new ProcessBuilder(command).redirectError(said.toFile()).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                String[] lines = Files.readString(said).strip().split("\n");
                throw new IOException("'" + String.join(" ", command) + "' failed with " + status + ": " + lines[lines.length - 1]);
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted during '" + String.join(" ", command) + "'", e);
        } finally {
            Files.delete(said);
        }
    }
}
