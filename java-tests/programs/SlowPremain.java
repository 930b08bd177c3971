import java.io.IOException;

/** An agent whose premain holds up the start of the JVM, until a line of input comes. Without options it does nothing. */
public class SlowPremain {
    private SlowPremain() {
    }

    public static void premain(String options) throws IOException {
        if (options == null) {
            return;
        }
        System.err.println("premain");
        System.in.read();
    }
}
