package org.iprofagent;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A command for the agent, as text: {@code command=dump,out=/tmp/app.iprof}. Immutable. */
record Command(String verb, String text) {
    Command(String verb) {
        this(verb, "command=" + verb);
    }

    /** The same with a file. Its path becomes absolute. */
    Command with(String option, Path file) {
        return new Command(verb, text + "," + option + "=" + escaped(file.toAbsolutePath().toString()));
    }

    /** What calls the agent to this socket. */
    static String callTo(Path socket) {
        return "command=" + escaped(socket.toString());
    }

    /** Bytes that mean something to the agent or on the way to it, as %XX. */
    private static String escaped(String path) {
        StringBuilder out = new StringBuilder();
        for (byte each : path.getBytes(pathCharset())) {
            char character = (char) (each & 0xff);
            boolean isPlain = character > ' ' && character < 0x7f && ",%\"'\\".indexOf(character) < 0;
            out.append(isPlain ? String.valueOf(character) : String.format("%%%02X", (int) character));
        }
        return out.toString();
    }

    /** The one in which the JDK gives paths to the system. */
    private static Charset pathCharset() {
        String name = System.getProperty("sun.jnu.encoding", "UTF-8");
        return Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.UTF_8;
    }
}
