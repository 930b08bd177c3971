package soak;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The class loaders of the soak. Each defines its given classes itself. */
final class Loaders {
    /** The names of the JDK classes that {@link Payload} needs: a sandbox that allows no others. */
    private static final Set<String> ALLOWED = Set.of(
            "java.lang.Object", "java.lang.String", "java.lang.Integer", "java.lang.Class", "java.lang.ArithmeticException",
            "java.util.ArrayList", "java.util.List", "java.util.function.IntUnaryOperator", "java.lang.invoke.MethodHandles",
            "java.lang.invoke.MethodHandles$Lookup", "java.lang.invoke.LambdaMetafactory", "java.lang.invoke.MethodType",
            "java.lang.invoke.MethodHandle", "java.lang.invoke.CallSite", "java.lang.Throwable");

    private static final Map<String, byte[]> BYTES = new ConcurrentHashMap<>();

    private Loaders() {}

    /** The bytes of a class of this package, as javac wrote them. */
    static byte[] bytesOf(String name) {
        return BYTES.computeIfAbsent(name, wanted -> {
            try (InputStream file = Loaders.class.getResourceAsStream("/" + wanted.replace('.', '/') + ".class")) {
                return file.readAllBytes();
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        });
    }

    /** Delegates everything except its own classes. */
    static class Delegating extends ClassLoader {
        private final Map<String, byte[]> own;

        Delegating(Map<String, byte[]> own) {
            super(Loaders.class.getClassLoader());
            this.own = own;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] bytes = own.get(name);
            if (bytes == null) {
                return elsewhere(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : defineClass(name, bytes, 0, bytes.length);
            }
        }

        Class<?> elsewhere(String name, boolean resolve) throws ClassNotFoundException {
            return super.loadClass(name, resolve);
        }
    }

    /** Knows a list of JDK classes, and refuses every other name. */
    static final class Refusing extends Delegating {
        Refusing(Map<String, byte[]> own) {
            super(own);
        }

        @Override
        Class<?> elsewhere(String name, boolean resolve) throws ClassNotFoundException {
            if (!ALLOWED.contains(name)) {
                throw new ClassNotFoundException("this loader does not allow " + name);
            }
            return Class.forName(name, false, null);
        }
    }
}
