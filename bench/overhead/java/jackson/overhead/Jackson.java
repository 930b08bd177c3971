package overhead;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Jackson: objects written as JSON, read back as objects and as a tree. Many calls of small methods. */
final class Jackson implements Workload {
  /** A typical record of a shop. */
  public static final class Order {
    public int number;
    public String customer;
    public double total;
    public boolean paid;
    public List<Item> items = new ArrayList<>();
    public Map<String, String> notes = new LinkedHashMap<>();
  }

  public static final class Item {
    public String name;
    public int pieces;
    public long price;
  }

  private final ObjectMapper mapper = new ObjectMapper();
  private final List<Order> orders = new ArrayList<>();

  Jackson() {
    Random random = new Random(7);
    for (int i = 0; i < 60; i++) {
      Order order = new Order();
      order.number = i;
      order.customer = "customer \"" + random.nextInt(1000) + "\"";
      order.total = random.nextInt(100000) / 100.0;
      order.paid = random.nextBoolean();
      for (int k = random.nextInt(8); k >= 0; k--) {
        Item item = new Item();
        item.name = "item " + random.nextLong();
        item.pieces = random.nextInt(50);
        item.price = random.nextLong();
        order.items.add(item);
      }
      order.notes.put("note", "n".repeat(random.nextInt(40)));
      orders.add(order);
    }
  }

  private static long walk(JsonNode node) {
    long sum = node.size();
    for (JsonNode child : node) sum += walk(child);
    return sum;
  }

  @Override
  public long run() throws Exception {
    long sum = 0;
    for (Order order : orders) {
      byte[] bytes = mapper.writeValueAsBytes(order);
      Order read = mapper.readValue(bytes, Order.class);
      sum += bytes.length + read.items.size() + walk(mapper.readTree(bytes));
    }
    return sum;
  }
}
