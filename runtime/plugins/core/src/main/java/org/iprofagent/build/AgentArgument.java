package org.iprofagent.build;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The agent in the arguments of a JVM that a build starts.
 *
 * <p>Each JVM adds its counts to one file (merge=y), so that any number of test JVMs may share it.
 *
 * <p>Threads: any. Failure: a BuildFailure for what the agent's options cannot express.
 *
 * <p>Example: with "-Xmx1g" before, {@code inFrontOf} gives
 * "-agentpath:/p/target/iprof/native/libiprofagent.so=out=/p/target/iprof/tests.iprof,merge=y,exclude=org.junit.* -Xmx1g".
 */
public final class AgentArgument {
    /** What tests run with, which is in no image. */
    public static final List<String> TEST_CODE = List.of("org.junit.*", "junit.*", "org.testng.*", "org.opentest4j.*", "org.hamcrest.*",
            "org.assertj.*", "org.mockito.*", "org.apache.maven.*", "org.gradle.*", "worker.org.gradle.*");

    /** The agent as inFrontOf() wrote it, or somebody by hand. */
    private static final Pattern AGENT = Pattern.compile("(\"-agentpath:[^\"]*libiprofagent\\.so[^\"]*\"|-agentpath:\\S*libiprofagent\\.so\\S*)\\s*");
    private static final List<String> OURS = List.of("out", "merge");

    private AgentArgument() {}

    /**
     * @param file where the profile goes
     * @param exclude patterns of classes that are not counted, unless the options have their own
     * @param options more options of the agent, joined by commas; null or empty: none
     */
    public static String of(Path library, Path file, List<String> exclude, String options) throws BuildFailure {
        List<String> all = new ArrayList<>();
        all.add("out=" + file.toAbsolutePath().normalize().toString().replace("%", "%%"));
        all.add("merge=y");
        boolean hasExclude = false;
        for (String option : options == null || options.isBlank() ? new String[0] : options.strip().split(",")) {
            String key = option.strip().replaceFirst("=.*", "");
            if (OURS.contains(key)) throw new BuildFailure("the agent's option " + key + "= is set by this plugin; take it out of '" + options + "'");
            hasExclude |= key.equals("exclude");
            all.add(option.strip());
        }
        if (!exclude.isEmpty() && !hasExclude) all.add("exclude=" + String.join("+", exclude));
        if (library.toString().indexOf('=') >= 0) throw new BuildFailure("the JVM takes no library with '=' in its path: " + library);
        if (all.get(0).indexOf(',') >= 0) throw new BuildFailure("the agent's options take no path with a comma: " + file);
        return "-agentpath:" + library + "=" + String.join(",", all);
    }

    /** Arguments as one line, with the agent before those that are there; null is none. An earlier agent of ours goes. */
    public static String inFrontOf(String arguments, String agent) {
        String rest = arguments == null ? "" : AGENT.matcher(arguments).replaceAll("").strip();
        String word = agent.matches(".*[\\s'].*") ? '"' + agent + '"' : agent;
        return rest.isEmpty() ? word : word + " " + rest;
    }
}
