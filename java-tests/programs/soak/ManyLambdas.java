package soak;

import java.util.function.IntUnaryOperator;

/** Four lambdas, two of which do the same. */
public final class ManyLambdas implements IntUnaryOperator {
    @Override
    public int applyAsInt(int x) {
        IntUnaryOperator twice = y -> y * 2;
        IntUnaryOperator doubled = y -> y * 2;
        IntUnaryOperator first = Math::abs;
        IntUnaryOperator second = Math::abs;
        return twice.andThen(doubled).andThen(twice).andThen(doubled).andThen(first).andThen(second).applyAsInt(x);
    }
}
