import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Runs another program again and again in one JVM, so that a short one lives long: {@code Repeats ROUNDS CLASS ARGUMENT...}. 0 rounds: until it
 * is killed. It prints a line to the standard error after each round.
 */
public final class Repeats {
    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        Method main = Class.forName(args[1]).getMethod("main", String[].class);
        for (int round = 1; rounds == 0 || round <= rounds; round++) {
            main.invoke(null, (Object) Arrays.copyOfRange(args, 2, args.length));
            System.err.println("round " + round);
        }
    }
}
