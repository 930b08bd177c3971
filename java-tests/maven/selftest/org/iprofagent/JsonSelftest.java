package org.iprofagent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The reader of the agent's answers: what it gives for good texts, and that any other text is refused in the one way that it says. */
public final class JsonSelftest {
    private static final String ANSWER = "{\"command\":\"stop\",\"outcome\":\"done\",\"message\":\"\\u00e9 \\\"x\\\" \\\\\",\"status\":"
            + "{\"state\":\"stopped\",\"pid\":4711,\"records\":[\"calls\",\"samples\"],\"losses\":[{\"what\":\"a\",\"count\":-2}],\"none\":[],\"more\":{},\"share\":0.5,\"unknown\":null}}\n";
    private static final String[] BAD = {"", "{", "[1,]", "{\"a\":}", "{\"a\" 1}", "\"\\x\"", "\"\\u12g4\"", "tru", "1.5.5", "99999999999999999999", "{} {}", "[".repeat(100)};
    private static final int MUTATIONS = 20_000;

    private JsonSelftest() {}

    public static void main(String[] arguments) {
        Map<String, Object> answer = Json.members(new Json(ANSWER).document());
        check(answer.get("message").equals("\u00e9 \"x\" \\"), answer);
        Map<String, Object> status = Json.members(answer.get("status"));
        check(status.get("records").equals(List.of("calls", "samples")), status);
        check(status.get("losses").equals(List.of(Map.of("what", "a", "count", -2L))), status);
        check(status.get("share").equals(0.5) && !status.containsKey("unknown"), status);
        check(Answer.parse(ANSWER).status().number("pid") == 4711, answer);
        for (String bad : BAD) check(!isRead(bad), bad);

        long seed = arguments.length > 0 ? Long.parseLong(arguments[0]) : System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> read = new ArrayList<>();
        for (int i = 0; i < MUTATIONS; i++) {
            String mutation = mutation(random);
            if (isRead(mutation)) read.add(mutation);
        }
        check(!read.isEmpty() && read.size() < MUTATIONS, read.size());
    }

    private static String mutation(Random random) {
        StringBuilder text = new StringBuilder(ANSWER);
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            int at = random.nextInt(text.length());
            char other = ANSWER.charAt(random.nextInt(ANSWER.length()));
            switch (random.nextInt(3)) {
                case 0:
                    text.setCharAt(at, other);
                    break;
                case 1:
                    text.insert(at, other);
                    break;
                default:
                    text.deleteCharAt(at);
            }
        }
        return text.toString();
    }

    private static boolean isRead(String text) {
        try {
            new Json(text).document();
            return true;
        } catch (IllegalArgumentException refused) {
            return false;
        }
    }

    private static void check(boolean holds, Object shown) {
        if (!holds) throw new AssertionError(shown);
    }
}
