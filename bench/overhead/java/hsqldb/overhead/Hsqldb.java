package overhead;

import java.sql.SQLException;

/** HSQLDB, which interprets trees of objects for each statement. */
final class Hsqldb extends Database {
  Hsqldb() throws SQLException {
    super("jdbc:hsqldb:mem:overhead");
  }
}
