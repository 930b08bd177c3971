package names;

import java.util.function.IntUnaryOperator;

/** Two call sites with the same method reference; the arguments select which are linked, and in which order. */
public class CallSites {
    static int sink;

    static IntUnaryOperator first() {
        return Math::abs;
    }

    static IntUnaryOperator second() {
        return Math::abs;
    }

    public static void main(String[] args) {
        for (String site : args) {
            boolean isFirst = site.equals("first");
            IntUnaryOperator operator = isFirst ? first() : second();
            for (int i = 0; i < (isFirst ? 100 : 200); i++) sink += operator.applyAsInt(-i);
        }
        System.out.println(sink);
    }
}
