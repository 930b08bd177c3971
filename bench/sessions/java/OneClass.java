import java.lang.instrument.Instrumentation;

/** An agent that repeatedly retransforms one class without changing it: the minimum for any agent that attaches. */
public final class OneClass {
    private OneClass() {}

    public static void agentmain(String times, Instrumentation instrumentation) throws Exception {
        Class<?> shop = Class.forName("shop.Item", false, ClassLoader.getSystemClassLoader());
        for (int i = 0; i < Integer.parseInt(times); ++i) {
            instrumentation.retransformClasses(shop);
            Thread.sleep(100);
        }
    }
}
