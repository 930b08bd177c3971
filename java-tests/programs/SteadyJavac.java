import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * javac without chance: its arguments are javac's. The order in which Set.of and Map.of iterate is made the same in each
 * run (the JDK draws it anew for each process), which two runs that are compared count for count need. Only iteration
 * depends on it, not where an element is found, so sets that exist already stay whole.
 */
public final class SteadyJavac {
    private SteadyJavac() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        settle();
        System.exit(java.util.spi.ToolProvider.findFirst("javac").orElseThrow().run(System.out, System.err, args));
    }

    /** Through reflection alone, since the compiler warns of the class by name. */
    private static void settle() throws ReflectiveOperationException {
        Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
        Field theUnsafe = unsafeClass.getDeclaredField("theUnsafe");
        theUnsafe.setAccessible(true);
        Object unsafe = theUnsafe.get(null);
        Method base = unsafeClass.getMethod("staticFieldBase", Field.class);
        Method offset = unsafeClass.getMethod("staticFieldOffset", Field.class);
        Class<?> collections = Class.forName("java.util.ImmutableCollections");
        Field salt = collections.getDeclaredField("SALT32L");
        unsafeClass.getMethod("putLong", Object.class, long.class, long.class)
            .invoke(unsafe, base.invoke(unsafe, salt), offset.invoke(unsafe, salt), 0x5EEDL);
        Field reverse = collections.getDeclaredField("REVERSE");
        unsafeClass.getMethod("putBoolean", Object.class, long.class, boolean.class)
            .invoke(unsafe, base.invoke(unsafe, reverse), offset.invoke(unsafe, reverse), false);
    }
}
