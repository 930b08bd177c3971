package org.iprofagent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A socket in a private folder, at which the native agent of this process connects when it is called.
 *
 * <p>One line goes to the agent, {@code iprof/3 command=dump,out=/tmp/app.iprof}. It answers with its own line, {@code iprof/3}, and with
 * messages: a letter, the length in four bytes, and as many bytes. The last is the answer, of letter A.
 *
 * <p>Failure: AgentException, or IOException where no socket can be made.
 */
final class AgentCall implements AutoCloseable {
    private static final String GREETING = "iprof/3";
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration PATIENCE_OF_CALL = Duration.ofSeconds(5);
    private static final int HEADER_BYTES = 5;
    private static final int LONGEST_MESSAGE = 1 << 20;
    private static final int LONGEST_SOCKET_NAME = 107;

    private final PrivateFolder folder;
    private final Path socket;
    private final ServerSocketChannel server;
    private SocketChannel agent;

    private AgentCall(PrivateFolder folder) throws IOException {
        this.folder = folder;
        socket = folder.path().resolve("agent");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        server.configureBlocking(false);
    }

    /** In the place of temporary files, or in /tmp if that has too long a name for a socket. */
    static AgentCall prepare() throws IOException {
        PrivateFolder folder = PrivateFolder.make(".iprof-");
        if (folder.path().resolve("agent").toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_SOCKET_NAME) {
            folder.close();
            folder = PrivateFolder.make(Path.of("/tmp"), ".iprof-");
        }
        try {
            return new AgentCall(folder);
        } catch (IOException none) {
            folder.close();
            throw none;
        }
    }

    Path socket() {
        return socket;
    }

    /** Whether the agent has connected; it does so before a load of its library returns. */
    boolean hasCome() throws IOException {
        return comer(Duration.ZERO) != null;
    }

    private SocketChannel comer(Duration patience) throws IOException {
        if (agent != null) return agent;
        agent = server.accept();
        if (agent == null && !patience.isZero()) {
            try (Selector selector = Selector.open()) {
                server.register(selector, SelectionKey.OP_ACCEPT);
                selector.select(patience.toMillis());
            }
            agent = server.accept();
        }
        return agent;
    }

    /** Gives the command to the agent, which was called, and waits for its answer. */
    Answer ask(Command command) throws IOException {
        if (comer(PATIENCE_OF_CALL) == null) {
            throw new AgentException(AgentException.Kind.FAILED,
                    "the agent did not take the command: the program is ending, or the agent has stopped working");
        }
        agent.configureBlocking(false);  // an interrupt closes a channel that blocks; so short a line finds room at once
        ByteBuffer line = ByteBuffer.wrap((GREETING + " " + command.text() + "\n").getBytes(StandardCharsets.US_ASCII));
        while (line.hasRemaining()) agent.write(line);
        return hear(command.verb());
    }

    /** The result of a first load, whose agent has connected. */
    Answer hear(String verb) throws IOException {
        agent.configureBlocking(false);
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        ByteBuffer part = ByteBuffer.allocate(1 << 13);
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (Selector selector = Selector.open()) {
            agent.register(selector, SelectionKey.OP_READ);
            while (true) {
                String json = answerIn(heard.toByteArray());
                if (json != null) return Answer.parse(json);
                selector.select(Math.max(1, (end - System.nanoTime()) / 1_000_000));
                selector.selectedKeys().clear();
                String goesOn = "; the agent may still carry out '" + verb + "'";
                if (Thread.currentThread().isInterrupted()) throw new AgentException(AgentException.Kind.FAILED, "interrupted" + goesOn);
                if (System.nanoTime() > end) {
                    throw new AgentException(AgentException.Kind.FAILED,
                            "the agent has not answered within " + PATIENCE.toSeconds() + " s" + goesOn);
                }
                part.clear();
                int count = agent.read(part);
                if (count < 0) throw new AgentException(AgentException.Kind.FAILED, "the agent has not answered: the program is ending");
                heard.write(part.array(), 0, count);
            }
        }
    }

    /** The answer's JSON; null: it has not come yet. */
    static String answerIn(byte[] heard) {
        int at = 0;
        while (at < heard.length && heard[at] != '\n') ++at;
        if (at == heard.length) return null;
        if (!GREETING.equals(new String(heard, 0, at, StandardCharsets.ISO_8859_1))) {
            throw new AgentException(AgentException.Kind.FAILED,
                    "the agent in this JVM is of another release than this jar: use the jar of its release");
        }
        ByteBuffer messages = ByteBuffer.wrap(heard, at + 1, heard.length - at - 1);
        while (messages.remaining() >= HEADER_BYTES) {
            byte letter = messages.get();
            int length = messages.getInt();
            if (length < 0 || length > LONGEST_MESSAGE) {
                throw new AgentException(AgentException.Kind.FAILED, "the agent's answer is damaged: a message is too long");
            }
            if (messages.remaining() < length) return null;
            byte[] payload = new byte[length];
            messages.get(payload);
            if (letter == 'A') return new String(payload, StandardCharsets.UTF_8);
        }
        return null;
    }

    @Override
    public void close() {
        try {
            if (agent != null) agent.close();
            server.close();
        } catch (IOException stays) {
            // The system closes both when the process ends.
        }
        folder.close();
    }
}
