package names;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.Callable;

/** A hidden class that is not a lambda: the application defines it itself. */
public class OwnHidden {
    public static class Template implements Callable<String> {
        @Override
        public String call() {
            return getClass().isHidden() ? "hidden" : "shown";
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes;
        try (InputStream in = OwnHidden.class.getResourceAsStream("OwnHidden$Template.class")) {
            bytes = in.readAllBytes();
        }
        Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
        Callable<?> made = (Callable<?>) hidden.getDeclaredConstructor().newInstance();
        for (int i = 0; i < 9; i++) System.out.println(made.call());
        try {
            MethodHandles.lookup().defineHiddenClass(new byte[] {1, 2, 3}, false);
        } catch (ClassFormatError expected) {
            System.out.println("refused");
        }
    }
}
