import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * 3,000 classes that all get hot: how long does the program wait when they lose their probes?
 *
 * They are copies of Copy0000 under other names, in a class loader of their own.
 *
 * Usage: ManyClasses REQUESTS. Each request calls every class once. It prints a checksum.
 */
public class ManyClasses {
    static final int CLASSES = 3_000;

    public interface Work {
        int run(int n);
    }

    static class Copies extends ClassLoader {
        final byte[] template;

        Copies() throws IOException {
            super(ManyClasses.class.getClassLoader());
            try (InputStream in = ManyClasses.class.getResourceAsStream("Copy0000.class")) {
                template = in.readAllBytes();
            }
        }

        Work make(int number) throws ReflectiveOperationException {
            // A name of the same length, so only these bytes of the constant pool differ. Latin-1 keeps all bytes.
            String name = String.format("Copy%04d", number);
            String renamed = new String(template, StandardCharsets.ISO_8859_1).replace("Copy0000", name);
            byte[] bytes = renamed.getBytes(StandardCharsets.ISO_8859_1);
            var constructor = defineClass(name, bytes, 0, bytes.length).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (Work) constructor.newInstance();
        }
    }

    /** A class of its own: the one whose loop runs all the time keeps its probes. */
    static class Requests {
        static long serve(Work[] works, int n) {
            long sum = 0;
            for (Work work : works) {
                sum += work.run(n);
            }
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        Copies copies = new Copies();
        Work[] works = new Work[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            works[i] = copies.make(i + 1);
        }
        int requests = Integer.parseInt(args[0]);
        long sum = 0;
        for (int n = 0; n < requests; n++) {
            sum = sum * 31 + Requests.serve(works, n);
        }
        System.out.println(sum);
    }
}

/** The template. */
final class Copy0000 implements ManyClasses.Work {
    @Override
    public int run(int n) {
        int sum = 0;
        for (int i = 0; i < 24; i++) {
            if ((n >> (i & 7) & 1) == 0) {
                sum += i;
            } else {
                sum ^= n;
            }
        }
        return sum;
    }
}
