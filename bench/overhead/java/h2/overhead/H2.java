package overhead;

import java.sql.SQLException;

/** H2, which interprets trees of objects for each statement. */
final class H2 extends Database {
  H2() throws SQLException {
    super("jdbc:h2:mem:overhead");
  }
}
