package org.iprofagent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The native agent of this process: loads its library, gives it commands and waits for its answers.
 *
 * <p>A second load of the library, which HotSpot hands to the agent that is there, calls it to a socket (AgentCall). Where the JVM forbids
 * that ({@code -XX:-EnableDynamicAgentLoading}) the call goes the way that the iprof tool goes, too: as a file that the agent looks for when
 * the JVM asks for a data dump.
 *
 * <p>Threads: any. Failure: AgentException.
 */
final class AgentLibrary {
    private static final Path DOORBELL = Path.of("/tmp/.iprof_command" + ProcessHandle.current().pid());

    private AgentLibrary() {}

    /** The first load, with options. Two threads load one after the other, so that the library is written once. */
    static synchronized String load(String options) {
        String library = ProcessFiles.agentLibrary().orElseGet(PackagedLibrary::place);
        try (AgentCall call = prepared()) {
            String said = DiagnosticCommand.loadAgent(library, withReply(options, call.socket()));
            if (call.hasCome()) return call.hear("load").orThrow();
            if (isAccepted(said)) return "the agent is loaded";
            throw notLoaded(said, library);
        } catch (IOException failed) {
            throw unreadable(failed);
        }
    }

    /** The agent then says why it refuses. Options know no escape: a load must not fail because of where answers are. */
    private static String withReply(String options, Path socket) {
        String reply = "reply=" + socket;
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
        try (AgentCall call = prepared()) {
            String text = Command.callTo(call.socket());
            String said = DiagnosticCommand.loadAgent(library.get(), text);
            if (forbidsLoading(said)) {
                ring(text);
            } else if (!isAccepted(said)) {
                throw notLoaded(said, library.get());
            }
            return call.ask(command);
        } catch (IOException failed) {
            throw unreadable(failed);
        }
    }

    /** Leaves the call where the agent looks for one, and lets it look. */
    private static synchronized void ring(String call) {
        try {
            PrivateFolder.writeNew(DOORBELL, call.getBytes(StandardCharsets.US_ASCII));  // another tool's call is not replaced
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

    private static AgentException unreadable(IOException why) {
        return new AgentException(AgentException.Kind.FAILED, "the agent's answer cannot be read: " + why, why);
    }

    private static AgentCall prepared() {
        try {
            return AgentCall.prepare();
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
