package iprofagent.jmh;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the user writes behind {@code -prof iprof:}.
 *
 * @param agent the agent's library; null: it is searched for
 * @param tool the tool iprof; null: it is searched for
 * @param rows how many methods, branches and call sites of each kind the results name
 * @param source the agent's option of this name
 * @param excluded further patterns of the agent's option exclude; may be empty
 * @param agentOptions all other options of the agent, as {@code name=value}
 */
record Settings(Path dir, Path agent, Path tool, int rows, String source, String excluded, List<String> agentOptions) {
    static final String COUNTERS = "counters";
    static final String BOTH = "both";

    private static final int MOST_ROWS = 1000;
    /** Options of the agent that this profiler sets itself. */
    private static final List<String> RESERVED = List.of(
            "out", "force", "merge", "doe", "control", "log", "start", "delay", "duration", "only", "snapshot", "gzip", "raw", "keep-raw",
            "raw-max", "onerror", "mode", "reply");

    static final String HELP = """
            iprof records a GraalVM PGO profile (.iprof) of the measured iterations of each benchmark.

              -prof iprof                            with the defaults
              -prof "iprof:option=value;option=..."  with options

            dir=FOLDER        where the profiles go, one for each benchmark and its parameters; default: the working folder
            format=VERSION    of the profile, as for the agent; default: 1.0.0
            samples=y|n       also sample where the CPU time goes; default: y
            interval=TIME     the CPU time between two samples of a thread, such as 1ms; default: auto
            source=WHICH      where counts come from: counters (the agent's own, exact), methoddata (HotSpot's, from the whole
                              fork) or both (the agent's in the benchmark's package, HotSpot's elsewhere); default: counters
            rows=N            how many methods, branches and call sites of each kind the results name; default: 3
            options=A=B,C=D   further options of the agent, such as jdk=n or include=com.acme.*
            agent=FILE        the library libiprofagent.so; default: beside this jar, or where both are installed
            tool=FILE         the program iprof; default: at the same places, or on the PATH
            """;

    /** Empty parts are skipped. */
    static Settings parse(String text) throws WrongOptions {
        Path dir = Path.of("");
        Path agent = null;
        Path tool = null;
        int rows = 3;
        List<String> ofAgent = new ArrayList<>();
        for (String part : text.split(";")) {
            String[] pair = part.strip().split("=", 2);
            if (pair[0].isEmpty()) {
                continue;
            }
            if (pair[0].equals("help")) {
                throw new WrongOptions(HELP);
            }
            if (pair.length == 1 || pair[1].isEmpty()) {
                throw new WrongOptions("iprof: option '" + pair[0] + "' has no value; -prof iprof:help lists all options.");
            }
            switch (pair[0]) {
                case "dir" -> dir = Path.of(pair[1]);
                case "agent" -> agent = Path.of(pair[1]);
                case "tool" -> tool = Path.of(pair[1]);
                case "rows" -> rows = rowsOf(pair[1]);
                case "format", "samples", "interval", "source" -> ofAgent.add(pair[0] + "=" + pair[1]);
                case "options" -> ofAgent.addAll(List.of(pair[1].split(",")));
                default -> throw new WrongOptions("iprof: there is no option '" + pair[0] + "'; -prof iprof:help lists all options.");
            }
        }
        return withAgentOptions(dir, agent, tool, rows, ofAgent);
    }

    private static Settings withAgentOptions(Path dir, Path agent, Path tool, int rows, List<String> options) throws WrongOptions {
        String source = COUNTERS;
        String excluded = "";
        List<String> others = new ArrayList<>();
        for (String option : options) {
            String[] pair = option.split("=", 2);
            if (RESERVED.contains(pair[0])) {
                throw new WrongOptions("iprof: this profiler sets the agent's option '" + pair[0] + "' itself.");
            }
            switch (pair[0]) {
                case "source" -> source = pair.length > 1 ? pair[1] : "";
                case "exclude" -> excluded = pair.length > 1 ? pair[1] : "";
                default -> others.add(option);
            }
        }
        if (!List.of(COUNTERS, "methoddata", BOTH).contains(source)) {
            throw new WrongOptions("iprof: source is counters, methoddata or both, not '" + source + "'.");
        }
        return new Settings(dir, agent, tool, rows, source, excluded, List.copyOf(others));
    }

    private static int rowsOf(String text) throws WrongOptions {
        try {
            int rows = Integer.parseInt(text);
            if (rows >= 0 && rows <= MOST_ROWS) {
                return rows;
            }
        } catch (NumberFormatException e) {
            // the same sentence
        }
        throw new WrongOptions("iprof: rows is a number from 0 to " + MOST_ROWS + ", not '" + text + "'.");
    }

    /** Whether the agent itself counts everything, so that it can begin again at 0 before each iteration. */
    boolean countsExactly() {
        return source.equals(COUNTERS);
    }

    /** Whether each thread may get counters of its own: there are some, and the user has not decided. */
    boolean mayStripe() {
        return !source.equals("methoddata") && ofAgent("stripes") == null;
    }

    /** The value of an option of the agent; null if it is not given. */
    String ofAgent(String name) {
        return agentOptions.stream().filter(option -> option.startsWith(name + "=")).map(option -> option.substring(name.length() + 1)).findFirst()
                .orElse(null);
    }
}
