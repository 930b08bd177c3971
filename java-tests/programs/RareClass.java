/**
 * A call with two classes: one in twenty of its calls goes to Slow and takes nearly all the time; the others go to Quick, which is
 * too short to be sampled often. The argument: the number of rounds.
 */
public final class RareClass {
    interface Step {
        long run(long value);
    }

    static final class Quick implements Step {
        @Override
        public long run(long value) {
            return value + 1;
        }
    }

    static final class Slow implements Step {
        @Override
        public long run(long value) {
            long sum = value;
            for (int i = 0; i < 2_000; ++i) {
                sum = mix(sum, i);
            }
            return sum;
        }

        private static long mix(long sum, int i) {
            return sum * 31 + (sum >>> 7) + i;
        }
    }

    static final int CLASSES = 20;

    private RareClass() {}

    static long all(Step[] steps, long value) {
        long sum = value;
        for (Step step : steps) {
            sum = step.run(sum);
        }
        return sum;
    }

    public static void main(String[] args) {
        Step[] steps = new Step[CLASSES];
        for (int i = 1; i < CLASSES; ++i) {
            steps[i] = new Quick();
        }
        steps[0] = new Slow();
        long sum = 1;
        for (int round = Integer.parseInt(args[0]); round > 0; --round) {
            sum = all(steps, sum);
        }
        System.out.println(sum);
    }
}
