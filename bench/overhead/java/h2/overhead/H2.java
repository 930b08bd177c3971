package overhead;

import java.sql.SQLException;

final class H2 extends Sql {
  H2() throws SQLException {
    super("jdbc:h2:mem:overhead");
  }
}
