package iprofagent.jmh;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The agent in this JVM, reached through its control socket: one connection for each command. */
record AgentSocket(Path path) {
    private static final int BUFFER_BYTES = 8192;
    private static final String GREETING = "iprof/3";
    private static final int LETTER_AND_LENGTH_BYTES = 5;

    /**
     * Returns when the command is done. Throws with the agent's reason if it is not. Only then the answer is parsed: after a
     * reset, the agent counts what runs here.
     */
    void tell(String command) throws IOException {
        String answer = answerTo(command);
        if (answer.contains("\"outcome\":\"done\"")) {
            return;
        }
        Object reason = null;
        try {
            reason = Json.members(new Json(answer).document()).get("message");
        } catch (IllegalArgumentException damaged) {
            // It says no reason.
        }
        throw new IOException(reason == null ? "the agent did not answer '" + command + "'" : reason.toString());
    }

    /** The agent says its version in a line, and then the answer: the letter A, the length in four bytes, and JSON. */
    private String answerTo(String command) throws IOException {
        byte[] said = saidTo(GREETING + " " + command);
        // A byte is a character here: those of the length may look like a character of several bytes.
        String bytes = new String(said, StandardCharsets.ISO_8859_1);
        int start = bytes.indexOf('\n') + 1 + LETTER_AND_LENGTH_BYTES;
        if (!bytes.startsWith(GREETING) || bytes.indexOf('\n') < 0 || said.length < start) {
            throw new IOException("the agent did not answer '" + command + "'");
        }
        return new String(said, start, said.length - start, StandardCharsets.UTF_8);
    }

    private byte[] saidTo(String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            ByteBuffer line = ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.UTF_8));
            while (line.hasRemaining()) {
                channel.write(line);
            }
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer part = ByteBuffer.allocate(BUFFER_BYTES);
            while (channel.read(part) >= 0) {
                answer.write(part.array(), 0, part.position());
                part.clear();
            }
            return answer.toByteArray();
        }
    }
}
