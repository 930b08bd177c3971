package soak;

import java.util.function.IntUnaryOperator;

/** A class that {@link Churn} defines with new names of the same length, and as a hidden class. */
public final class Small00000000 implements IntUnaryOperator {
    @Override
    public int applyAsInt(int x) {
        return x % 2 == 0 ? x / 2 : 3 * x + 1;
    }
}
