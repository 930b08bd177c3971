package bundle;

import java.util.List;
import java.util.function.IntUnaryOperator;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A bundle that does a little work when the framework starts it, and ends the framework. */
public final class Activator implements BundleActivator {
    @Override
    public void start(BundleContext context) {
        List<IntUnaryOperator> steps = List.of(x -> x + 1, x -> x * 2, Math::abs);
        int sum = 0;
        for (int i = 0; i < 3000; i++) {
            sum = steps.get(i % 3).applyAsInt(sum) & 0xffff;
        }
        System.out.println(context.getBundle().getSymbolicName() + " started: " + sum);
        new Thread(() -> end(context)).start();
    }

    @Override
    public void stop(BundleContext context) {
        System.out.println(context.getBundle().getSymbolicName() + " stopped");
    }

    private static void end(BundleContext context) {
        try {
            context.getBundle(0).stop();
        } catch (org.osgi.framework.BundleException broken) {
            throw new IllegalStateException(broken);
        }
    }
}
