package org.iprofagent;

import java.nio.file.Path;

/**
 * The agent of this JVM: one for the whole process, however it was loaded.
 *
 * <pre>{@code
 * IprofAgent.load("start=n,out=app.iprof");  // as behind -agentpath:…=
 * warmUp();
 * IprofAgent.start();
 * load();
 * IprofAgent.stop(Path.of("app.iprof"));
 * }</pre>
 *
 * <p>Each method returns when the agent has done what it says. What the methods return is a sentence for people.
 *
 * <p>Threads: any. The agent carries commands out one at a time, in order. Failure: an {@link AgentException}; the program and
 * what was recorded are as before, unless its kind is {@code FAILED}.
 */
public final class IprofAgent {
    private IprofAgent() {}

    /**
     * Loads the agent with these options, the same as behind {@code -agentpath:…=}. It records at once, unless
     * {@code start=n} is among them. Relative paths begin at the JVM's working directory. Bytecode that ran before is not
     * counted.
     */
    public static String load(String options) {
        return AgentLibrary.load(options);
    }

    /** Begins to record, or continues after a stop. Loads the agent without options if it is not loaded. */
    public static String start() {
        return status().isLoaded() ? run(new Command("start")) : load("");
    }

    /** Begins to record, or continues after a stop. The recording has its own file, which gets its profiles from now on. */
    public static String start(Path out) {
        return run(new Command("start").with("out", out));
    }

    /** Stops recording and gives the classes their own code back. What was recorded is kept. */
    public static String stop() {
        return run(new Command("stop"));
    }

    /** Stops recording, if the agent records, and writes the profile to this file. */
    public static String stop(Path out) {
        return run(new Command("stop").with("out", out));
    }

    /** Forgets what was recorded so far. */
    public static String reset() {
        return run(new Command("reset"));
    }

    /** Writes the profile so far to the agent's own file ({@code out=}), and goes on. */
    public static String dump() {
        return run(new Command("dump"));
    }

    /** Writes the profile so far to this file, and goes on. */
    public static String dump(Path out) {
        return run(new Command("dump").with("out", out));
    }

    /** What the agent does now. Never loads it. */
    public static AgentStatus status() {
        return AgentLibrary.status();
    }

    private static String run(Command command) {
        return AgentLibrary.run(command);
    }
}
