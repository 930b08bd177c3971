import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * A deterministic javac; its arguments are those of javac. It fixes the iteration order of Set.of and Map.of, which the
 * JDK chooses randomly for each process, so that two runs can be compared count by count. Only iteration depends on
 * this order, not look-ups, so existing sets remain valid.
 */
public final class SteadyJavac {
    private SteadyJavac() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        settle();
        System.exit(java.util.spi.ToolProvider.findFirst("javac").orElseThrow().run(System.out, System.err, args));
    }

    /** Uses only reflection, because the compiler warns about uses of the class. */
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
