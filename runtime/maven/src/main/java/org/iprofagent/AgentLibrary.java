package org.iprofagent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The native agent of this process: loads its library, gives it commands and waits for its answers.
 *
 * <p>A command is a second load of the library, which HotSpot hands to the agent that is there. Where the JVM forbids that
 * ({@code -XX:-EnableDynamicAgentLoading}) a command goes the way that the iprof tool goes, too: as a file that the agent looks for when
 * the JVM asks for a data dump. The answer comes as a file in a private folder.
 *
 * <p>Threads: any. Failure: AgentException.
 */
final class AgentLibrary {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long SHORTEST_WAIT_MS = 1;
    private static final long LONGEST_WAIT_MS = 50;
    private static final String ANSWER = "answer";
    private static final Path DOORBELL = Path.of("/tmp/.iprof_command" + ProcessHandle.current().pid());

    private AgentLibrary() {}

    /** The first load, with options. Two threads load one after the other, so that the library is written once. */
    static synchronized String load(String options) {
        String library = ProcessFiles.agentLibrary().orElseGet(PackagedLibrary::place);
        try (PrivateFolder folder = folderForAnswer()) {
            Path answer = folder.path().resolve(ANSWER);
            String said = DiagnosticCommand.loadAgent(library, withReply(options, answer));
            if (Files.exists(answer)) return read(answer).orThrow();
            if (isAccepted(said)) return "the agent is loaded";
            throw notLoaded(said, library);
        }
    }

    /** The agent then says why it refuses. Options know no escape: a load must not fail because of where answers are. */
    private static String withReply(String options, Path answer) {
        String reply = "reply=" + answer;
        if (reply.indexOf(',') >= 0) return options;
        return options.isEmpty() ? reply : options + "," + reply;
    }

    static String run(Command command) {
        return answerTo(command).orThrow();
    }

    static AgentStatus status() {
        if (ProcessFiles.agentLibrary().isEmpty()) return new AgentStatus(Map.of());
        Answer answer = answerTo(new Command("status"));
        // An agent whose first load failed refuses, and says that it is idle.
        if (!answer.status().isLoaded()) return answer.status();
        answer.orThrow();
        return answer.status();
    }

    private static Answer answerTo(Command command) {
        Optional<String> library = ProcessFiles.agentLibrary();
        if (library.isEmpty()) throw new AgentException(AgentException.Kind.REFUSED, "the agent is not loaded in this JVM");
        try (PrivateFolder folder = folderForAnswer()) {
            Path answer = folder.path().resolve(ANSWER);
            String text = command.with("reply", answer).text();
            String said = DiagnosticCommand.loadAgent(library.get(), text);
            if (forbidsLoading(said)) {
                ring(text);
            } else if (!isAccepted(said) && !Files.exists(answer)) {
                throw notLoaded(said, library.get());
            }
            await(answer, command.verb());
            return read(answer);
        }
    }

    /** Leaves the command where the agent looks for one, and lets it look. */
    private static synchronized void ring(String command) {
        try {
            PrivateFolder.writeNew(DOORBELL, command.getBytes(StandardCharsets.US_ASCII));  // another tool's command is not replaced
            try {
                DiagnosticCommand.dataDump();
            } finally {
                Files.deleteIfExists(DOORBELL);
            }
        } catch (IOException why) {
            throw new AgentException(AgentException.Kind.UNAVAILABLE,
                    "this JVM runs with -XX:-EnableDynamicAgentLoading, and the command cannot be left in " + DOORBELL + ": " + why, why);
        }
    }

    private static void await(Path answer, String verb) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (long wait = SHORTEST_WAIT_MS; !Files.exists(answer); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
            String goesOn = "; the agent may still carry out '" + verb + "'";
            if (System.nanoTime() > end) {
                throw new AgentException(AgentException.Kind.FAILED,
                        "the agent has not answered within " + PATIENCE.toSeconds() + " s" + goesOn);
            }
            try {
                Thread.sleep(wait);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new AgentException(AgentException.Kind.FAILED, "interrupted" + goesOn, interrupted);
            }
        }
    }

    private static Answer read(Path answer) {
        try {
            return Answer.parse(Files.readString(answer));
        } catch (IOException unreadable) {
            throw new AgentException(AgentException.Kind.FAILED, "the agent's answer cannot be read: " + unreadable, unreadable);
        }
    }

    private static PrivateFolder folderForAnswer() {
        try {
            return PrivateFolder.make(".iprof-");
        } catch (IOException why) {
            throw new AgentException(AgentException.Kind.UNAVAILABLE, "the agent cannot answer: " + why.getMessage(), why);
        }
    }

    private static boolean isAccepted(String said) {
        return said.lines().anyMatch(line -> line.strip().equals("return code: 0"));
    }

    private static boolean forbidsLoading(String said) {
        return said.contains("EnableDynamicAgentLoading");
    }

    private static AgentException notLoaded(String said, String library) {
        if (forbidsLoading(said)) {
            return new AgentException(AgentException.Kind.UNAVAILABLE,
                    "this JVM runs with -XX:-EnableDynamicAgentLoading, so the agent must be on its command line (-agentpath)");
        }
        String reason = said.strip().replaceAll("\\s*\n\\s*", " ");
        return new AgentException(AgentException.Kind.UNAVAILABLE, "the JVM cannot load " + library + ": " + reason);
    }
}
