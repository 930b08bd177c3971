package overhead;

import java.sql.SQLException;

final class Hsqldb extends Sql {
  Hsqldb() throws SQLException {
    super("jdbc:hsqldb:mem:overhead");
  }
}
