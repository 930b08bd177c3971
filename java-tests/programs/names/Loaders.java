package names;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.IntUnaryOperator;

/** The same lambdas, defined by many short-lived loaders. */
public class Loaders {
    public static class Worker implements Runnable {
        static int sum;

        @Override
        public void run() {
            int captured = sum;
            IntUnaryOperator one = x -> x + captured;
            IntUnaryOperator two = Math::abs;
            IntUnaryOperator three = Math::abs;
            sum += one.applyAsInt(1) + two.applyAsInt(-1) + three.applyAsInt(-2);
        }
    }

    public static void main(String[] args) throws Exception {
        URL[] path = {Loaders.class.getProtectionDomain().getCodeSource().getLocation()};
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
                ((Runnable) loader.loadClass("names.Loaders$Worker").getDeclaredConstructor().newInstance()).run();
            }
            if (i % 100 == 99) System.gc();
        }
    }
}
