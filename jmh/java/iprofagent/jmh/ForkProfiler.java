package iprofagent.jmh;

import java.io.IOException;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * In a fork: takes the profile of each measured iteration.
 *
 * <p>The agent counts from the fork's start, because changing classes after the warm-up would undo the warm-up. So before a
 * measured iteration the agent is told to forget what came before, which takes the present counts as a baseline, and after
 * it to write what came since. Samples are taken from the baseline on, too.
 *
 * <p>HotSpot's own counters have no baseline: HotSpot stops counting what it has compiled. With these, only the samples of
 * the warm-up are forgotten, and one profile is written after the last iteration.
 *
 * <p>If the agent does not answer, there is one line on stderr, and the benchmark goes on without a profile.
 */
public final class ForkProfiler {
    private final Settings settings;
    private final ForkFolder folder;
    private final AgentSocket agent;
    private int measured;
    private boolean hasGivenUp;

    private ForkProfiler(Settings settings) {
        this.settings = settings;
        folder = ForkFolder.ofThisJvm();
        agent = folder == null ? null : new AgentSocket(folder.control());
    }

    public static ForkProfiler with(String options) throws WrongOptions {
        return new ForkProfiler(Settings.parse(options));
    }

    public boolean isInFork() {
        return folder != null;
    }

    public void beforeIteration(BenchmarkParams params, IterationParams iteration) {
        if (folder == null) {
            giveUp("there is no profile of " + params.getBenchmark() + ", because it does not run in a fork, and the agent begins with its JVM. "
                    + "Use -f 1 or more.");
        }
        if (hasGivenUp || iteration.getType() != IterationType.MEASUREMENT) {
            return;
        }
        if (settings.countsExactly()) {
            tell("command=reset");
        } else if (measured == 0) {
            tell("command=reset,only=samples");
        }
    }

    public void afterIteration(IterationParams iteration) {
        if (hasGivenUp || iteration.getType() != IterationType.MEASUREMENT) {
            return;
        }
        ++measured;
        if (settings.countsExactly() || measured == iteration.getCount()) {
            tell("command=dump,out=" + folder.profileOfIteration(measured));
        }
    }

    private void tell(String command) {
        try {
            agent.tell(command);
        } catch (IOException failed) {
            giveUp("the fork goes on without a profile: " + failed.getMessage());
        }
    }

    private void giveUp(String why) {
        if (!hasGivenUp) {
            System.err.println();
            System.err.println("iprof: " + why);
        }
        hasGivenUp = true;
    }
}
