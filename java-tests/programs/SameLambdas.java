import java.io.Serializable;
import java.util.function.ToIntFunction;

/**
 * Two lambdas that do the same. Only the second one of the class file is ever made, so its name has the number 1. Others do something
 * else; one of these is serializable. Prints "ready", waits for a line, and ends with "done".
 */
public final class SameLambdas {
    static volatile int sink;

    static int apply(ToIntFunction<String> function, String text) { return function.applyAsInt(text); }
    static int rare(String text) { return apply(String::length, text); }
    static int hot(String text) { return apply(String::length, text); }
    static int other(String text) { return apply(String::hashCode, text); }
    static int serializable(String text) { return apply((ToIntFunction<String> & Serializable) each -> each.charAt(0), text); }

    public static void main(String[] args) throws Exception {
        int steps = Integer.parseInt(args[0]);
        int sum = 0;
        for (int i = 0; i < steps; i++) sum += hot("ab") + other("cd") + serializable("ef");
        if (sum == 0) sum += rare("never");
        sink = sum;
        System.out.println("ready");
        System.in.read();
        System.out.println("done");
    }
}
