package overhead;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Streams, composed functions and captured variables: nearly all of its own code is in lambdas. */
public final class Lambdas implements Workload {
  private static final int SIZE = 2000;

  @Override
  public long run() {
    List<Integer> numbers = IntStream.range(0, SIZE).mapToObj(i -> i * 31 % 1009).collect(Collectors.toList());
    Function<Integer, Integer> chain = Function.identity();
    for (int i = 0; i < 8; i++) {
      int added = i;
      chain = chain.andThen(n -> n % 2 == 0 ? n + added : n - added);
    }
    IntBinaryOperator mix = (a, b) -> 31 * a + b;
    Map<Integer, Long> groups = numbers.stream().map(chain).filter(n -> n > 100)
        .collect(Collectors.groupingBy(n -> n % 17, Collectors.summingLong(n -> n)));
    return groups.values().stream().sorted((a, b) -> Long.compare(b, a)).mapToInt(Long::intValue).reduce(1, mix);
  }
}
