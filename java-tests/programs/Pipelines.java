import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Streams and sorting over made-up orders: code of the JDK that does different things for different callers. The program does not
 * know how often. Each round does the same.
 */
public final class Pipelines {
  record Order(int id, String customer, int amount, boolean open) {}

  static final class ByAmount implements Comparator<Order> {
    @Override
    public int compare(Order a, Order b) {
      return Integer.compare(a.amount(), b.amount());
    }
  }

  static final class ByCustomer implements Comparator<Order> {
    @Override
    public int compare(Order a, Order b) {
      return a.customer().compareTo(b.customer());
    }
  }

  static final class IsOpen implements Predicate<Order> {
    @Override
    public boolean test(Order order) {
      return order.open();
    }
  }

  static final class IsLarge implements Predicate<Order> {
    @Override
    public boolean test(Order order) {
      return order.amount() > 900;
    }
  }

  static final class CustomerOf implements Function<Order, String> {
    @Override
    public String apply(Order order) {
      return order.customer();
    }
  }

  static final class Halves implements Function<Order, Order> {
    @Override
    public Order apply(Order order) {
      return new Order(order.id(), order.customer(), order.amount() / 2, order.open());
    }
  }

  static final class AmountOf implements ToIntFunction<Order> {
    @Override
    public int applyAsInt(Order order) {
      return order.amount();
    }
  }

  private static long sum;

  static List<Order> orders(int number) {
    Random random = new Random(42);
    List<Order> made = new ArrayList<>();
    for (int i = 0; i < number; ++i) made.add(new Order(i, "c" + random.nextInt(50), random.nextInt(1000), random.nextInt(10) < 7));
    return made;
  }

  static List<Order> sorted(List<Order> orders, Comparator<Order> by) {
    List<Order> copy = new ArrayList<>(orders);
    copy.sort(by);
    return copy;
  }

  static <T> List<T> mapped(Stream<Order> orders, Function<Order, T> by) {
    return orders.map(by).collect(Collectors.toList());
  }

  static void openOnes(List<Order> orders) {
    sum += orders.stream().filter(new IsOpen()).count();
  }

  static void largeOnes(List<Order> orders) {
    sum += orders.stream().filter(new IsLarge()).mapToInt(new AmountOf()).sum();
  }

  static void customers(List<Order> orders) {
    sum += mapped(orders.stream(), new CustomerOf()).size();
  }

  static void discounts(List<Order> orders) {
    for (Order order : mapped(orders.stream().filter(new IsOpen()), new Halves())) sum += order.amount();
  }

  static void ranking(List<Order> orders) {
    sum += sorted(orders, new ByAmount()).get(0).id();
  }

  static void directory(List<Order> orders) {
    sum += sorted(orders, new ByCustomer()).get(0).id();
  }

  static void alreadySorted(List<Order> ascending) {
    sum += sorted(ascending, new ByAmount()).get(0).id();
  }

  public static void main(String[] args) {
    int rounds = Integer.parseInt(args[0]);
    List<Order> orders = orders(Integer.parseInt(args[1]));
    List<Order> ascending = new ArrayList<>();
    for (Order order : orders) ascending.add(new Order(order.id(), order.customer(), order.id(), order.open()));
    for (int i = 0; i < rounds; ++i) {
      openOnes(orders);
      largeOnes(orders);
      customers(orders);
      discounts(orders);
      ranking(orders);
      directory(orders);
      alreadySorted(ascending);
    }
    if (sum == 42) System.out.println("forty-two");
  }
}
