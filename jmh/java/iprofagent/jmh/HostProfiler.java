package iprofagent.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;

/**
 * In JMH's own JVM, for one benchmark with its parameters: puts the agent into each fork, merges what the forks have
 * written, and makes results of it.
 *
 * <p>The profile is complete after each fork, so it is there even if a later fork fails. Forks for warm-up are left out. The
 * results come with the last fork, because JMH would otherwise mix those of several forks.
 */
public final class HostProfiler {
    /** Parts of JMH that run during a measurement. Not all of its packages: its own samples are benchmarks. */
    private static final String HARNESS = "iprof+iprofagent.jmh.*+org.openjdk.jmh.infra.*+org.openjdk.jmh.profile.*+org.openjdk.jmh.results.*"
            + "+org.openjdk.jmh.runner.*+org.openjdk.jmh.util.*";
    /** Such a path has no special meaning in the agent's options, and a socket in it a short enough name. */
    private static final Pattern PLAIN = Pattern.compile("/[A-Za-z0-9._/-]{0,60}");
    /** The threads of a benchmark call the same code all the time, so each gets counters of its own. */
    private static final int MOST_STRIPES = 16;
    /** The agent's warning of empty tables: an iteration without a lock is normal. */
    private static final String EMPTY_TABLES = ", which were to be recorded";

    private final Settings settings;
    private final Installation installation;
    private final List<Path> profiles = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private Path folder;
    private ForkFolder fork;
    private int forks;
    private int measuredForks;
    private long operations;

    private HostProfiler(Settings settings, Installation installation) {
        this.settings = settings;
        this.installation = installation;
    }

    public static HostProfiler with(String options) throws WrongOptions {
        Settings settings = Settings.parse(options);
        Path dir = settings.dir().toAbsolutePath();
        try {
            if (!Files.isDirectory(dir)) {
                Files.createDirectories(dir);
            }
        } catch (IOException e) {
            throw new WrongOptions("iprof: cannot create the folder " + dir + ": " + e);
        }
        if (!Files.isWritable(dir)) {
            throw new WrongOptions("iprof: cannot write into the folder " + dir + "; dir=FOLDER names another.");
        }
        return new HostProfiler(settings, Installation.find(settings));
    }

    public Collection<String> optionsOfNextFork(BenchmarkParams params) {
        try {
            fork = new ForkFolder(Files.createDirectory(folder().resolve(Integer.toString(++forks))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.of("-agentpath:" + installation.agent() + "=" + agentOptions(params), fork.asJvmOption());
    }

    private String agentOptions(BenchmarkParams params) {
        List<String> options = new ArrayList<>(List.of("out=" + fork.out(), "control=" + fork.control(), "log=" + fork.log()));
        options.addAll(List.of("doe=n", "snapshot=0", "force=always", "source=" + settings.source()));
        options.add("exclude=" + HARNESS + (settings.excluded().isEmpty() ? "" : "+" + settings.excluded()));
        if (settings.source().equals(Settings.BOTH) && settings.ofAgent("include") == null) {
            options.add("include=" + packageOf(params.getBenchmark()));
        }
        if (params.getThreads() > 1 && settings.mayStripe()) {
            options.add("stripes=" + Math.min(Integer.highestOneBit(2 * params.getThreads() - 1), MOST_STRIPES));
        }
        options.addAll(settings.agentOptions());
        return String.join(",", options);
    }

    /** A pattern for the classes of the benchmark's package; for its class if that is in no package. */
    private static String packageOf(String benchmark) {
        String type = benchmark.substring(0, benchmark.lastIndexOf('.'));
        int dot = type.lastIndexOf('.');
        return dot < 0 ? type : type.substring(0, dot) + ".*";
    }

    public Collection<? extends Result<?>> afterFork(BenchmarkResult result) {
        BenchmarkParams params = result.getParams();
        if (forks <= params.getWarmupForks()) {
            return List.of();
        }
        boolean isLast = forks == params.getWarmupForks() + params.getForks();
        try {
            takeFork(result);
            if (profiles.isEmpty()) {
                System.out.println();
                System.out.println("iprof: fork " + forks + " of " + params.id() + " has written no profile.");
                return List.of();
            }
            Path merged = settings.dir().resolve(params.id() + ".iprof");
            Tool tool = new Tool(installation.tool());
            tool.merge(profiles, merged);
            return isLast ? results(params, merged, tool) : List.of();
        } catch (IOException failed) {
            System.out.println();
            System.out.println("iprof: there are no results of " + params.id() + ": " + failed.getMessage());
            return List.of();
        } finally {
            if (isLast) {
                delete(folder);
            }
        }
    }

    private void takeFork(BenchmarkResult result) throws IOException {
        for (int i = 1; i <= result.getParams().getMeasurement().getCount(); ++i) {
            Path profile = fork.profileOfIteration(i);
            if (Files.exists(profile)) {
                profiles.add(profile);
            }
        }
        ++measuredForks;
        for (IterationResult iteration : result.getIterationResults()) {
            operations += iteration.getMetadata().getAllOps();
        }
        if (Files.exists(fork.log())) {
            for (String line : Files.readAllLines(fork.log())) {
                String message = line.replaceFirst("^\\S+ iprofagent: ", "");
                if (!message.startsWith("wrote ") && !message.endsWith(EMPTY_TABLES)) {
                    warnings.add(message);
                }
            }
        }
    }

    private List<Row> results(BenchmarkParams params, Path merged, Tool tool) throws IOException {
        Report report = new Report(tool.show(merged, settings.rows()), settings.rows(), params, settings.countsExactly() ? operations : null);
        return report.rows(merged, merged.toString(), measuredForks, warnings);
    }

    private Path folder() throws IOException {
        if (folder == null) {
            String temporary = System.getProperty("java.io.tmpdir");
            Path made = Files.createTempDirectory(Path.of(PLAIN.matcher(temporary).matches() ? temporary : "/tmp"), "iprof-jmh.");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made)));
            folder = made;
        }
        return folder;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // It is gone already, or stays in the folder for temporary files.
        }
    }
}
