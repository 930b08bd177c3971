package names;

import java.util.function.IntUnaryOperator;

/** Another agent, here a library, retransforms the class again and again, so that its call sites are linked again. */
public class Relinked {
    static native boolean retransform(Class<?> type);

    static int work(int n) {
        IntUnaryOperator operator = x -> x + 1;
        int sum = 0;
        for (int i = 0; i < n; i++) sum = operator.applyAsInt(sum);
        return sum;
    }

    static int twice(int n) {
        IntUnaryOperator one = Math::abs;
        IntUnaryOperator two = Math::abs;
        int sum = 0;
        for (int i = 0; i < n; i++) sum += one.applyAsInt(-1) + two.applyAsInt(-1) + two.applyAsInt(-1);
        return sum;
    }

    public static void main(String[] args) {
        System.load(args[0]);
        int sum = 0;
        for (int i = 0; i < 20; i++) {
            sum += work(1000) + twice(100);
            if (!retransform(Relinked.class)) throw new IllegalStateException("cannot retransform");
        }
        System.out.println(sum);
    }
}
