package iprofagent.jmh;

import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.Aggregator;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;

/** A row of JMH's table, with the text that JMH prints for it above the table. There is one for each label. */
final class Row extends Result<Row> {
    private static final long serialVersionUID = 1;

    private final String text;

    Row(String label, double score, String unit, String text) {
        super(ResultRole.SECONDARY, plain(label), of(score), plain(unit), AggregationPolicy.MAX);
        this.text = text;
    }

    /** Without the characters that JMH does not escape in its JSON. */
    static String plain(String text) {
        return text.replace('<', '(').replace('>', ')').replaceAll("[,;&\"\\\\\\[\\]{}]", "_");
    }

    @Override
    protected Aggregator<Row> getThreadAggregator() {
        return rows -> rows.iterator().next();
    }

    @Override
    protected Aggregator<Row> getIterationAggregator() {
        return getThreadAggregator();
    }

    @Override
    public String extendedInfo() {
        return text;
    }
}
