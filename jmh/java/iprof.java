import iprofagent.jmh.ForkProfiler;
import iprofagent.jmh.HostProfiler;
import iprofagent.jmh.WrongOptions;
import java.io.File;
import java.util.Collection;
import java.util.Collections;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;

/**
 * The profiler that JMH finds as {@code -prof iprof}, because its class has this name.
 *
 * <p>JMH makes separate objects of it: in its own JVM one for each benchmark, whose methods around a trial it calls, and
 * in each fork one whose methods around an iteration it calls. They share what system properties say.
 *
 * <p>This class is compiled for Java 8. JMH loads it, as a service, whenever it looks for any profiler that is not one of
 * its own; if that failed on an old JVM, that other profiler could not be used there. So are the
 * types that the JVM loads with it.
 */
public final class iprof implements ExternalProfiler, InternalProfiler {
    private static final double FIRST_JAVA = 17;

    private HostProfiler host;
    private ForkProfiler fork;

    /** For the ServiceLoader, which only wants to know the class. It must never fail. */
    public iprof() {}

    public iprof(String options) throws ProfilerException {
        String version = System.getProperty("java.specification.version");
        if (Double.parseDouble(version) < FIRST_JAVA) {
            throw new ProfilerException("iprof needs Java 17 or newer, and this is Java " + version + ".");
        }
        try {
            fork = ForkProfiler.with(options);
            if (!fork.isInFork()) {
                host = HostProfiler.with(options);
            }
        } catch (WrongOptions wrong) {
            throw new ProfilerException(wrong.getMessage());
        }
    }

    @Override
    public String getDescription() {
        return "GraalVM PGO profiles (.iprof): calls, branches, receivers and CPU samples of the measured iterations";
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams params) {
        return Collections.emptyList();
    }

    @Override
    public Collection<String> addJVMOptions(BenchmarkParams params) {
        return host.optionsOfNextFork(params);
    }

    @Override
    public void beforeTrial(BenchmarkParams params) {}

    @Override
    public Collection<? extends Result> afterTrial(BenchmarkResult result, long pid, File stdOut, File stdErr) {
        return host.afterFork(result);
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }

    @Override
    public void beforeIteration(BenchmarkParams params, IterationParams iteration) {
        fork.beforeIteration(params, iteration);
    }

    @Override
    public Collection<? extends Result> afterIteration(BenchmarkParams params, IterationParams iteration, IterationResult result) {
        fork.afterIteration(iteration);
        return Collections.emptyList();
    }
}
