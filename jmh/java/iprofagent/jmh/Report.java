package iprofagent.jmh;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * What a profile says about a benchmark: as rows of JMH's table, and as a text.
 *
 * <p>Branches and call sites that run less often than in every hundredth invocation of the benchmark are left out: they
 * belong to what goes on beside it.
 */
final class Report {
    private static final double LEAST_PER_INVOCATION = 0.01;

    /** A method, as "a.B.run(int, long)void", and how often it was called or sampled. */
    private record Method(String name, long count) {
        String label() {
            return nameOnly(name);
        }
    }

    /** An instruction. */
    private record Position(String method, long bci) {
        String label() {
            return nameOnly(method) + ":" + bci;
        }

        @Override
        public String toString() {
            return method + ":" + bci;
        }
    }

    /** A branch: how often it ran, and how often it went another way than the most frequent one. */
    private record Branch(Position at, long count, long rarer) {
        double percent() {
            return 100.0 * rarer / count;
        }
    }

    /** A call site: how often it ran, and the shares of its receivers' classes. */
    private record Site(Position at, long count, List<String> classes) {}

    private final int rows;
    private final List<Method> methods = new ArrayList<>();
    private final List<Branch> branches = new ArrayList<>();
    private final List<Site> sites = new ArrayList<>();
    private final List<Method> hot = new ArrayList<>();
    private long calls;
    private long samples;
    private final double invocations;
    private final double operations;
    private final boolean isEstimate;

    /**
     * @param shown the JSON texts of {@code iprof show}
     * @param measured the operations; null if the counts are estimates, which are right only in proportion to each other
     */
    Report(List<String> shown, int rows, BenchmarkParams params, Long measured) throws IOException {
        this.rows = rows;
        for (String text : shown) {
            for (Object table : array(object(parsed(text)).get("tables"))) {
                read(object(table));
            }
        }
        // A group of benchmarks has no method of its name.
        invocations = methods.stream().filter(method -> method.name().startsWith(params.getBenchmark() + "(")).mapToLong(Method::count).sum();
        isEstimate = measured == null;
        operations = isEstimate ? invocations * params.getOpsPerInvocation() : measured;
    }

    private static Object parsed(String text) throws IOException {
        try {
            return new Json(text).document();
        } catch (IllegalArgumentException damaged) {
            throw new IOException("not JSON: " + damaged.getMessage());
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) throws IOException {
        if (value instanceof Map) {
            return (Map<String, Object>) value;
        }
        throw new IOException("an object was expected");
    }

    private static List<?> array(Object value) throws IOException {
        if (value instanceof List<?> list) {
            return list;
        }
        throw new IOException("an array was expected");
    }

    private static long number(Object value) throws IOException {
        if (value instanceof Long number) {
            return number;
        }
        throw new IOException("an integer was expected");
    }

    private void read(Map<String, Object> table) throws IOException {
        switch (String.valueOf(table.get("table"))) {
            case "callCountProfiles" -> {
                calls = number(table.get("total"));
                readMethods(table, methods);
            }
            case "samplingProfiles" -> {
                samples = number(table.get("total"));
                readMethods(table, hot);
            }
            case "conditionalProfiles" -> readBranches(table);
            case "virtualInvokeProfiles" -> readSites(table);
            default -> {
                // the others say nothing about a benchmark
            }
        }
    }

    private static void readMethods(Map<String, Object> table, List<Method> methods) throws IOException {
        for (Object each : array(table.get("hottest_methods"))) {
            Map<String, Object> method = object(each);
            methods.add(new Method(String.valueOf(method.get("method")), number(method.get("count"))));
        }
    }

    private void readBranches(Map<String, Object> table) throws IOException {
        for (Object each : array(table.get("hottest"))) {
            Map<String, Object> entry = object(each);
            long count = number(entry.get("count"));
            Map<Long, Long> ways = new HashMap<>();  // several keys of a switch lead the same way
            for (Object successor : array(entry.get("successors"))) {
                Map<String, Object> way = object(successor);
                ways.merge(number(way.get("index")), number(way.get("count")), Long::sum);
            }
            long most = ways.values().stream().mapToLong(Long::longValue).max().orElse(count);
            branches.add(new Branch(position(entry), count, count - most));
        }
    }

    private void readSites(Map<String, Object> table) throws IOException {
        for (Object each : array(table.get("hottest"))) {
            Map<String, Object> entry = object(each);
            long count = number(entry.get("count"));
            List<String> classes = new ArrayList<>();
            for (Object type : array(entry.get("types"))) {
                Map<String, Object> receiver = object(type);
                classes.add(format("%s %.1f %%", receiver.get("type"), 100.0 * number(receiver.get("count")) / count));
            }
            sites.add(new Site(position(entry), count, classes));
        }
    }

    private static Position position(Map<String, Object> entry) throws IOException {
        Map<String, Object> frame = object(array(entry.get("context")).get(0));
        return new Position(String.valueOf(frame.get("method")), number(frame.get("bci")));
    }

    /** "a.B.run" of "a.B.run(int, long)void" */
    private static String nameOnly(String method) {
        int end = method.indexOf('(');
        return end < 0 ? method : method.substring(0, end);
    }

    /** @param named how the file is named in the table */
    List<Row> rows(Path file, String named, int forks, Collection<String> warnings) {
        List<Row> found = new ArrayList<>();
        found.add(new Row("iprof.file", forks, named, text(file, forks, warnings)));
        if (operations > 0) {
            String unit = isEstimate ? "calls/op (estimate)" : "calls/op";
            add(found, "iprof.calls", calls / operations, unit);
            first(methods).forEach(method -> add(found, "iprof.calls:" + method.label(), method.count() / operations, unit));
        }
        biased().forEach(branch -> add(found, "iprof.branches.biased:" + branch.at().label(), branch.percent(), "% rarer"));
        even().forEach(branch -> add(found, "iprof.branches.even:" + branch.at().label(), branch.percent(), "% rarer"));
        polymorphic().forEach(site -> add(found, "iprof.receivers:" + site.at().label(), site.classes().size(), "classes"));
        add(found, "iprof.samples", samples, "samples");
        first(hot).forEach(method -> add(found, "iprof.hot:" + method.label(), 100.0 * method.count() / samples, "% of samples"));
        return found;
    }

    /** JMH would make one row of results with the same label, so those of overloaded methods get numbers. */
    private static void add(List<Row> rows, String label, double score, String unit) {
        String free = label;
        for (int number = 2; has(rows, free); ++number) {
            free = label + "#" + number;
        }
        rows.add(new Row(free, score, unit, ""));
    }

    private static boolean has(List<Row> rows, String label) {
        return rows.stream().anyMatch(row -> row.getLabel().equals(Row.plain(label)));
    }

    private String text(Path file, int forks, Collection<String> warnings) {
        StringBuilder text = new StringBuilder();
        line(text, "  %s", file.toAbsolutePath().normalize());
        line(text, "  %d %s, %,.0f operations%s", forks, forks == 1 ? "fork" : "forks", operations, isEstimate ? " by HotSpot's counters" : "");
        if (operations > 0) {
            line(text, "%n  calls per operation%s: %.3f", isEstimate ? " (estimates)" : "", calls / operations);
            first(methods).forEach(method -> line(text, "  %12.3f  %s", method.count() / operations, method.name()));
        }
        line(text, "%n  most biased branches, and how often they went the rarer way:");
        biased().forEach(branch -> line(text, "  %10.3f %%  %s", branch.percent(), branch.at()));
        line(text, "%n  most even branches:");
        even().forEach(branch -> line(text, "  %10.3f %%  %s", branch.percent(), branch.at()));
        line(text, "%n  calls with the most classes of receivers:");
        polymorphic().forEach(site -> line(text, "  %12d  %s  %s", site.classes().size(), site.at(), String.join(", ", site.classes())));
        line(text, "%n  %d samples, most of them in:", samples);
        first(hot).forEach(method -> line(text, "  %10.1f %%  %s", 100.0 * method.count() / samples, method.name()));
        warnings.forEach(warning -> line(text, "%n  %s", warning));
        return text.toString();
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(format(format, values)).append('\n');
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private boolean isOften(long count) {
        return count > 0 && count >= (invocations > 0 ? invocations : operations) * LEAST_PER_INVOCATION;
    }

    /** Of equally biased branches, those that run most often come first. */
    private List<Branch> biased() {
        return branches(Comparator.comparingDouble(Branch::percent));
    }

    private List<Branch> even() {
        return branches(Comparator.comparingDouble(Branch::percent).reversed());
    }

    private List<Branch> branches(Comparator<Branch> order) {
        Comparator<Branch> often = Comparator.comparingLong(Branch::count).reversed();
        return branches.stream().filter(branch -> isOften(branch.count())).sorted(order.thenComparing(often)).limit(rows).toList();
    }

    private List<Site> polymorphic() {
        Comparator<Site> order = Comparator.<Site>comparingInt(site -> site.classes().size()).thenComparingLong(Site::count).reversed();
        return sites.stream().filter(site -> isOften(site.count())).sorted(order).limit(rows).toList();
    }

    private List<Method> first(List<Method> all) {
        return all.stream().limit(rows).toList();
    }
}
