package overhead;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * SQL in memory through JDBC: orders are inserted, looked up, joined, summed up, changed and deleted. H2 and HSQLDB
 * interpret trees of objects for each statement.
 */
class Database implements Workload {
  private static final int ORDERS = 500;
  private static final int LOOKUPS = 500;

  private final Connection connection;

  Database(String url) throws SQLException {
    connection = DriverManager.getConnection(url);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, city VARCHAR(20))");
      statement.execute("CREATE TABLE orders (id INT PRIMARY KEY, customer INT NOT NULL REFERENCES customers, total BIGINT, note VARCHAR(60))");
      statement.execute("CREATE TABLE items (order_id INT NOT NULL, line INT NOT NULL, name VARCHAR(40), pieces INT, PRIMARY KEY (order_id, line))");
      statement.execute("CREATE INDEX by_customer ON orders (customer)");
    }
    for (int i = 0; i < 40; i++) change("INSERT INTO customers VALUES (?, ?, ?)", i, "customer " + i * 37 % 101, "city " + i % 7);
    connection.commit();
  }

  private void insert(Random random) throws SQLException {
    try (PreparedStatement orders = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?, ?)");
        PreparedStatement items = connection.prepareStatement("INSERT INTO items VALUES (?, ?, ?, ?)")) {
      for (int id = 0; id < ORDERS; id++) {
        orders.setInt(1, id);
        orders.setInt(2, random.nextInt(40));
        orders.setLong(3, random.nextInt(100_000));
        orders.setString(4, "note " + random.nextInt(500));
        orders.executeUpdate();
        for (int line = random.nextInt(4); line >= 0; line--) {
          items.setInt(1, id);
          items.setInt(2, line);
          items.setString(3, "item " + random.nextInt(60));
          items.setInt(4, 1 + random.nextInt(9));
          items.executeUpdate();
        }
      }
    }
  }

  /** A number that depends on each column of each row. */
  private static long sumOf(PreparedStatement query) throws SQLException {
    long sum = 0;
    try (ResultSet rows = query.executeQuery()) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        for (int column = 1; column <= columns; column++) {
          String value = rows.getString(column);
          sum = 31 * sum + (value == null ? 7 : value.hashCode());
        }
      }
    }
    return sum;
  }

  private PreparedStatement prepared(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) statement.setObject(i + 1, parameters[i]);
    return statement;
  }

  private long ask(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement query = prepared(sql, parameters)) {
      return sumOf(query);
    }
  }

  private int change(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement change = prepared(sql, parameters)) {
      return change.executeUpdate();
    }
  }

  @Override
  public long run() throws SQLException {
    Random random = new Random(17);
    insert(random);
    long sum = 0;
    for (int i = 0; i < LOOKUPS; i++) {
      sum = 31 * sum + ask("SELECT o.id, o.total, c.name FROM orders o, customers c WHERE o.customer = c.id AND o.id = ?", random.nextInt(ORDERS));
    }
    sum = 31 * sum + ask("SELECT c.city, COUNT(*), SUM(o.total), MAX(o.note) FROM customers c JOIN orders o ON o.customer = c.id "
        + "GROUP BY c.city ORDER BY c.city");
    sum = 31 * sum + ask("SELECT name, SUM(pieces) FROM items GROUP BY name HAVING SUM(pieces) > ? ORDER BY 2 DESC, 1", 20);
    sum = 31 * sum + ask("SELECT id, note FROM orders WHERE note LIKE ? AND total BETWEEN ? AND ? ORDER BY id", "note 1%", 1000, 80_000);
    sum = 31 * sum + change("UPDATE orders SET total = total + 1 WHERE customer = ?", 5);
    sum = 31 * sum + ask("SELECT o.id, CASE WHEN o.total > 50000 THEN 'big' ELSE UPPER(o.note) END FROM orders o "
        + "WHERE EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id AND i.pieces > ?) ORDER BY o.id", 7);
    sum = 31 * sum + change("DELETE FROM items WHERE line >= ?", 0) + change("DELETE FROM orders WHERE id >= ?", 0);
    connection.commit();
    return sum;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
