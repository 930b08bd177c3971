import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.ByteBuffer;
import java.security.ProtectionDomain;

/**
 * Answers each line of its input with the line and the value of a method. The line "swap" first redefines the method's class,
 * as a debugger would, so that the value becomes 2222222. The line "often" does the same again and again until the next line
 * comes, and a slow transformer makes each redefinition take long. It is its own Java agent.
 */
public class Swapped {
    private static final int BEFORE = 1111111;
    private static final int AFTER = 2222222;
    private static Instrumentation instrumentation;

    static class Holder {
        static int value() {
            return 1111111;
        }
    }

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    private static ClassDefinition swapped() throws Exception {
        byte[] bytes;
        try (InputStream in = Swapped.class.getResourceAsStream("Swapped$Holder.class")) {
            bytes = in.readAllBytes();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int at = 0; at + Integer.BYTES <= bytes.length; at++) {
            if (buffer.getInt(at) == BEFORE) {
                buffer.putInt(at, AFTER);
            }
        }
        return new ClassDefinition(Holder.class, bytes);
    }

    /** Sleeps whenever the class is redefined. */
    static class Slow implements ClassFileTransformer {
        @Override
        public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
            if (redefined == Holder.class) {
                try {
                    Thread.sleep(10);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return null;
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            boolean often = line.equals("often");
            if (often) {
                instrumentation.addTransformer(new Slow());
            }
            if (often || line.equals("swap")) {
                instrumentation.redefineClasses(swapped());
            }
            System.out.println(line + " " + Holder.value());
            while (often && System.in.available() == 0) {
                instrumentation.redefineClasses(swapped());
            }
        }
    }
}
