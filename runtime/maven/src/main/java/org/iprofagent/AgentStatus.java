package org.iprofagent;

import java.util.Map;

/**
 * What the agent does, has recorded and costs, at one moment.
 *
 * @param members all that the agent reports, by the names that {@code iprof status --format json} uses: texts, numbers
 *     ({@link Long}) and lists. Later versions of the agent may report more. Empty if the agent's library is not in this JVM.
 */
public record AgentStatus(Map<String, Object> members) {
    static final String IDLE = "idle";

    /** Keeps an unmodifiable copy. */
    public AgentStatus {
        members = Map.copyOf(members);
    }

    /** For example {@code idle} (not loaded), {@code recording} or {@code stopped}. */
    public String state() {
        return text("state").isEmpty() ? IDLE : text("state");
    }

    /** Whether calls, branches, samples and so on are being recorded now. */
    public boolean isRecording() {
        return state().equals("recording");
    }

    /** Whether the agent is loaded, recording or not. */
    public boolean isLoaded() {
        return !state().equals(IDLE);
    }

    /** A member that is a number, such as {@code samples}; 0 if there is none of that name. */
    public long number(String name) {
        return members.get(name) instanceof Long number ? number : 0;
    }

    /** A member that is a text, such as {@code out}; empty if there is none of that name. */
    public String text(String name) {
        return members.get(name) instanceof String text ? text : "";
    }
}
