package iprofagent.jmh;

import java.nio.file.Path;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.Aggregator;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;

/** The profile's file as a row of JMH's table, with the number of forks in it, and a text about it above the table. */
final class ProfileResult extends Result<ProfileResult> {
    static final String LABEL = "iprof.file";

    private static final long serialVersionUID = 1;

    private final String text;

    ProfileResult(Path file, int forks, String text) {
        super(ResultRole.SECONDARY, LABEL, of(forks), Report.plain(file.toString()), AggregationPolicy.MAX);
        this.text = text;
    }

    @Override
    protected Aggregator<ProfileResult> getThreadAggregator() {
        return results -> results.iterator().next();
    }

    @Override
    protected Aggregator<ProfileResult> getIterationAggregator() {
        return getThreadAggregator();
    }

    @Override
    public String extendedInfo() {
        return text;
    }
}
