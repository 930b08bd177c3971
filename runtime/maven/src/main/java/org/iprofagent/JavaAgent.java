package org.iprofagent;

/**
 * What {@code -javaagent:iprof-agent.jar=OPTIONS} calls, for those who cannot use {@code -agentpath}. The options are the same. The
 * agent starts as at an attach: it counts from here on, not from the JVM's first bytecode.
 */
public final class JavaAgent {
    private JavaAgent() {}

    /** At the JVM's start. If the agent cannot start, the program runs without it, after one line that says why. */
    public static void premain(String options) {
        try {
            IprofAgent.load(options == null ? "" : options);
        } catch (AgentException why) {
            // The agent itself prints what it refuses.
            if (why.kind() == AgentException.Kind.UNAVAILABLE) {
                System.err.println("iprofagent: error: " + why.getMessage() + "; going on without the agent");
            }
        }
    }

    /** When a tool loads this jar into a running JVM. The tool gets the reason if the agent cannot start. */
    public static void agentmain(String options) {
        IprofAgent.load(options == null ? "" : options);
    }
}
