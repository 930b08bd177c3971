import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.function.IntUnaryOperator;

/**
 * A program whose behaviour changes: each line of input is a number N from 0 to 100; then a branch is taken N % of the time, and a
 * call reaches {@code Doubled} N % of the time. Prints "ready" after each line, and ends at the end of the input.
 */
public final class Phases {
    private static final int ROUNDS = 400_000;
    static int sink;

    static final class Doubled implements IntUnaryOperator {
        @Override
        public int applyAsInt(int number) {
            return number * 2;
        }
    }

    static final class Halved implements IntUnaryOperator {
        @Override
        public int applyAsInt(int number) {
            return number / 2;
        }
    }

    private static final IntUnaryOperator DOUBLED = new Doubled();
    private static final IntUnaryOperator HALVED = new Halved();

    /** Uses `random` for the branch and for the receiver. */
    static int step(int random, int percent) {
        int sum = 1;
        if (random < percent) {
            sum += 3;
        }
        IntUnaryOperator operator = random < percent ? DOUBLED : HALVED;
        return operator.applyAsInt(sum + random);
    }

    static void run(int percent) {
        int random = 17;
        for (int round = 0; round < ROUNDS; round++) {
            random = random * 1_103_515_245 + 12_345;
            sink += step((random >>> 16) % 100, percent);
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("started");
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            run(Integer.parseInt(line));
            System.out.println("ready");
        }
    }
}
