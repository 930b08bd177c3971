package events;

import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads and unloads classes whose methods allocate: CLASSES. Each class has a loader and a name of its own. Its method once
 * makes an array of its own class, twice and thrice make arrays with two and three dimensions: so the class of an object says
 * which method of which class made it. Prints how many classes were unloaded.
 */
public final class Unloads {
    public interface Task {
        Object run(int size);
    }

    /** A template: its copies get other names of the same length. */
    public static final class Unique00000000 implements Task {
        @Override
        public Object run(int size) {
            return new Object[] {once(size), twice(size), thrice(size)};
        }

        static Object once(int size) {
            return new Unique00000000[size];
        }

        static Object twice(int size) {
            return new Unique00000000[size][];
        }

        static Object thrice(int size) {
            return new Unique00000000[size][][];
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(Unloads.class.getClassLoader());
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    private static final int ARRAY = 2000;

    public static void main(String[] args) throws Exception {
        int classes = Integer.parseInt(args[0]);
        String template;
        try (InputStream in = Unloads.class.getResourceAsStream("Unloads$Unique00000000.class")) {
            template = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
        List<WeakReference<Loader>> loaders = new ArrayList<>();
        for (int i = 1; i <= classes; i++) {
            Loader loader = new Loader();
            String bytes = template.replace("Unique00000000", String.format("Unique%08d", i));
            Class<?> task = loader.define(bytes.getBytes(StandardCharsets.ISO_8859_1));
            ((Task) task.getDeclaredConstructor().newInstance()).run(ARRAY);
            loaders.add(new WeakReference<>(loader));
            if (i % (classes / 10) == 0) {
                System.gc();
            }
        }
        System.out.println("unloaded " + loaders.stream().filter(one -> one.refersTo(null)).count());
    }
}
