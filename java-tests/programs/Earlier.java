import java.io.IOException;
import java.io.InputStream;

/**
 * Classes that are loaded before the agent: one that is in use, one that is linked only later, one that cannot be
 * linked, and interfaces. Each line on standard input lets the program continue.
 */
public final class Earlier {
    private static final int TIMES = 1000;

    /** Does not find one class, as if a library were not on the class path. */
    private static final class Incomplete extends ClassLoader {
        Incomplete() {
            super(Earlier.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("Earlier$Missing")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals("Earlier$Broken")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream file = Earlier.class.getResourceAsStream("Earlier$Broken.class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException broken) {
                throw new ClassNotFoundException(name, broken);
            }
        }
    }

    static class Missing extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Its verification checks that Missing is a Throwable. */
    static final class Broken {
        static void fail(boolean really) {
            Throwable thrown = really ? new Missing() : new IllegalStateException();
            throw new IllegalStateException(thrown);
        }
    }

    static final class InUse {
        static int half(int x) {
            return x % 2 == 0 ? x / 2 : x;
        }
    }

    static final class Later {
        static int third(int x) {
            return x % 3 == 0 ? x / 3 : x;
        }
    }

    private Earlier() {}

    private static void waitForLine() throws IOException {
        while (System.in.read() != '\n') {
            // Continues at the end of the line.
        }
    }

    public static void main(String[] arguments) throws Exception {
        Class<?> broken = Class.forName("Earlier$Broken", false, new Incomplete());
        Class<?> later = Class.forName("Earlier$Later", false, Earlier.class.getClassLoader());
        int sum = InUse.half(7);
        System.out.println("ready");
        waitForLine();
        for (int i = 0; i < TIMES; i++) {
            sum += InUse.half(i);
        }
        sum += Later.third(9);
        System.out.println("linked " + later.getSimpleName());
        waitForLine();
        for (int i = 0; i < TIMES; i++) {
            sum += Later.third(i);
        }
        try {
            Class.forName(broken.getName(), true, broken.getClassLoader());
            System.out.println("linked after all");
        } catch (NoClassDefFoundError expected) {
            System.out.println("cannot be linked: " + expected.getMessage());
        }
        System.out.println("done " + sum);
    }
}
