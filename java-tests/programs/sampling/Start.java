package sampling;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;

/**
 * A program that starts, and then works: `Start.begin` for half a second of CPU time, then `Start.load` for as much at least and until
 * the JVM is more than twice as old. Both call `Start.shared`. Prints how old the JVM was in between, in ms, then "done". With an
 * argument it goes on for ever after that.
 */
public final class Start {
    private static final long CPU_NS = 500_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final RuntimeMXBean RUNTIME = ManagementFactory.getRuntimeMXBean();
    private static long sink;

    static void shared() {
        for (int i = 0; i < 100_000; i++) sink += Long.numberOfTrailingZeros(sink + i) + i % 7;
    }

    static void begin(long cpuNs) {
        while (THREADS.getCurrentThreadCpuTime() < cpuNs) shared();
    }

    static void load(long cpuNs, long age) {
        while (THREADS.getCurrentThreadCpuTime() < cpuNs || RUNTIME.getUptime() < age) shared();
    }

    public static void main(String[] args) {
        long now = THREADS.getCurrentThreadCpuTime();
        begin(now + CPU_NS);
        long age = RUNTIME.getUptime();
        System.out.println("begun " + age);
        load(now + 2 * CPU_NS, 2 * age + 4_000);
        System.out.println("done");
        if (args.length > 0) load(Long.MAX_VALUE, 0);
    }
}
