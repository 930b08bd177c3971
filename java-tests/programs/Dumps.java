import java.io.IOException;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Runs a round of work with known counts for every input line, and reports when the round is done. */
public class Dumps {
    static final int STEPS = 1_000;

    public static void main(String[] args) throws IOException {
        System.out.println("ready");
        for (int number = 1; System.in.read() == '\n'; number++) {
            List<IntUnaryOperator> operators = List.of(new Negate(), new Twice());
            System.out.println("round " + number + ": " + round(operators));
        }
    }

    static int round(List<IntUnaryOperator> operators) {
        int sum = 0;
        for (int i = 0; i < STEPS; i++) {
            sum += operators.get(i % 4 == 0 ? 0 : 1).applyAsInt(i);
        }
        return sum;
    }

    static final class Negate implements IntUnaryOperator {
        public int applyAsInt(int value) {
            return -value;
        }
    }

    static final class Twice implements IntUnaryOperator {
        public int applyAsInt(int value) {
            return 2 * value;
        }
    }
}
