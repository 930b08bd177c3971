import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.util.function.IntFunction;

/**
 * In an endless loop, creates six objects in six ways for every four that it reads, and counts both. It prints "ready"
 * when everything is compiled, then its counts for each input line, and ends at the end of its input.
 */
public final class MadeAndRead {
    private static final int WARM_UP = 200_000;

    private static long made;
    private static long read;
    private static volatile long rounds;
    private static volatile boolean ends;

    private static class Parent {
        private final int value;

        Parent(int value) {
            this.value = value;
        }
    }

    private static final class Thing extends Parent {
        Thing(int value) {
            super(value);
            made++;
        }

        Thing() {
            this(7);
        }

        int get() {
            read++;
            return super.value;
        }
    }

    private MadeAndRead() {}

    // One frame for the whole run. It is compiled while it runs, and keeps its code when the class changes.
    private static void run() {
        try {
            Constructor<Thing> reflected = Thing.class.getDeclaredConstructor(int.class);
            MethodHandle handle =
                    MethodHandles.lookup().findConstructor(Thing.class, MethodType.methodType(void.class, int.class));
            IntFunction<Thing> reference = Thing::new;
            for (int sum = 0; !ends; rounds++) {
                Thing thing = new Thing(sum);
                sum += thing.get() + new Thing().get();
                sum += reflected.newInstance(sum).get();
                thing = (Thing) handle.invokeExact(sum);
                thing = reference.apply(sum);
                sum += twice(thing);
            }
        } catch (Throwable problem) {
            throw new IllegalStateException(problem);
        }
    }

    private static int twice(Thing thing) {
        return new Thing(thing.get()).hashCode();
    }

    public static void main(String[] args) throws Exception {
        Thread runner = new Thread(MadeAndRead::run);
        runner.start();
        while (rounds < WARM_UP) {
            Thread.sleep(1);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            System.out.println("rounds " + rounds);
        }
        ends = true;
        runner.join();
        System.out.println("made " + made + " read " + read + " rounds " + rounds);
    }
}
