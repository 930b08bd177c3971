package overhead;

import java.sql.DriverManager;
import java.sql.SQLException;

/** Derby, which makes a class for each kind of statement. */
final class Derby extends Database {
  private static final String URL = "jdbc:derby:memory:overhead";

  Derby() throws SQLException {
    super(URL + ";create=true");
  }

  @Override
  public void close() {
    super.close();
    try {
      DriverManager.getConnection(URL + ";shutdown=true").close();
    } catch (SQLException alwaysThrown) {
      // That is how Derby says that the database is shut down.
    }
  }
}
