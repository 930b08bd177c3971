import java.io.RandomAccessFile;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;

/**
 * Counts for ever, and keeps the truth about its counts in a file that is mapped and shared, so that it is complete whenever
 * the process is killed. Arguments: the file, how many threads run (1 or 2), and how many ms each rests after a ms of work
 * (none, unless given). Each thread has its own methods, so that no thread takes away another's increments.
 *
 * <p>The file has, for each thread, HISTORY + 1 pairs of longs. The first has how many steps have begun, and how many entries
 * of the history were written. Entry n, at n % HISTORY, has a time (ms since 1970) and how many steps had ended by then.
 *
 * <p>The fences keep compilers from moving the increments of probes, which are plain stores, across these writes.
 */
public final class KeepsTruth {
    static final int HISTORY = 1 << 14;
    static final int PER_THREAD = 2 * (HISTORY + 1);

    interface Shape {
        int corners(int sides);
    }

    static final class Prism implements Shape {
        @Override
        public int corners(int sides) {
            return 2 * sides;
        }
    }

    static final class Pyramid implements Shape {
        @Override
        public int corners(int sides) {
            return sides + 1;
        }
    }

    static final Shape[] SHAPES = {new Prism(), new Pyramid()};

    /** Of four steps, one takes the first branch; of a hundred, one takes the second; of two, one meets a prism. */
    static int step0(int n) {
        int sum = SHAPES[n & 1].corners(n);
        if ((n & 3) == 0) {
            sum++;
        }
        if (n % 100 == 7) {
            sum += 2;
        }
        return sum;
    }

    static int step1(int n) {
        int sum = SHAPES[n & 1].corners(n);
        if ((n & 3) == 0) {
            sum++;
        }
        if (n % 100 == 7) {
            sum += 2;
        }
        return sum;
    }

    static void run(int thread, LongBuffer truth, long rest) throws InterruptedException {
        int base = thread * PER_THREAD;
        long last = 0, entries = 0, sum = 0;
        for (int n = 0;; n = n == 999_999_999 ? 0 : n + 1) {
            truth.put(base, n + 1);
            VarHandle.storeStoreFence();
            sum += thread == 0 ? step0(n) : step1(n);
            if ((n & 63) == 0) {
                long now = System.currentTimeMillis();
                if (now != last) {
                    int entry = base + 2 + 2 * (int) (entries % HISTORY);
                    VarHandle.storeStoreFence();
                    truth.put(entry, now);
                    truth.put(entry + 1, n + 1);
                    truth.put(base + 1, ++entries);
                    last = now;
                    if (rest > 0) {
                        Thread.sleep(rest);
                    }
                }
            }
            if (sum == 1) {
                System.out.println(sum);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[1]);
        long rest = args.length > 2 ? Long.parseLong(args[2]) : 0;
        LongBuffer truth;
        try (RandomAccessFile file = new RandomAccessFile(args[0], "rw")) {
            truth = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 8L * PER_THREAD * threads)
                .order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
        System.out.println("ready");
        for (int t = 1; t < threads; t++) {
            int thread = t;
            new Thread(() -> {
                try {
                    run(thread, truth, rest);
                } catch (InterruptedException never) {
                    throw new IllegalStateException(never);
                }
            }).start();
        }
        run(0, truth, rest);
    }

    private KeepsTruth() {}
}
