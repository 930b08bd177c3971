package names;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.LongUnaryOperator;

/** Lambdas that use CPU time in loaders that are unloaded long before the profile is written. */
public class Unloaded {
    public static class Worker implements Runnable {
        static volatile long sink;

        @Override
        public void run() {
            LongUnaryOperator spin = n -> {
                long sum = 0;
                for (long i = 0; i < n; i++) sum += Long.numberOfTrailingZeros(sum ^ i);
                return sum;
            };
            sink = spin.applyAsLong(20_000_000);
        }
    }

    public static void main(String[] args) throws Exception {
        URL[] path = {Unloaded.class.getProtectionDomain().getCodeSource().getLocation()};
        for (int i = 0; i < 10; i++) {
            try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
                ((Runnable) loader.loadClass("names.Unloaded$Worker").getDeclaredConstructor().newInstance()).run();
            }
            System.gc();
        }
        System.out.println("done");
    }
}
