package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;

/**
 * One chunk of class-counting sites: calls whose receivers are counted, monitors, type checks.
 *
 * <p>Like {@link IprofCounters0}, this is a template. For each further chunk N, the agent defines it under the name
 * IprofReceiversN, and overwrites the constant in {@link #firstSite()} with the number of the chunk's first site.
 *
 * <p>A site has four rows, each a class and its count. Rows are @Stable: once a row holds a class, C2 treats it as a
 * constant and folds the comparison into the type check of the call that follows. So a row is written once, atomically,
 * and only with classes that are not unloaded before the program ends. All other classes go to the spill table.
 */
public final class IprofReceivers0 {
    @Stable
    private static final Class<?>[] types = IprofTypes.takeTypes();

    private static final long[] counts = IprofTypes.takeTypeCounts();

    private IprofReceivers0() {}

    /**
     * Counts the class of an object at a site of this chunk; null is not counted. Probes call this. It contains only
     * the path that nearly every call takes, because it is inlined into every probe.
     */
    @ForceInline
    public static void hit(Object object, int site) {
        if (object == null) {
            return;
        }
        Class<?> type = object.getClass();
        int row = site << 2;
        if (types[row] == type) {
            counts[row]++;
        } else if (types[row + 1] == type) {
            counts[row + 1]++;
        } else {
            IprofTypes.others(types, counts, row, type, firstSite() + site);
        }
    }

    /**
     * Like {@link #hit}, for long methods with many sites, and for short methods, which C1 inlines into others. C1 does
     * not inline it, because it is too long and has no annotation; C2 inlines it in hot code. C1 has 10,000 virtual
     * registers for a method and what it inlines there: a call of this takes 2, hit takes 45.
     */
    public static void meet(Object object, int site) {
        if (object == null) {
            return;
        }
        Class<?> type = object.getClass();
        int row = site << 2;
        if (types[row] == type) {
            counts[row]++;
        } else if (types[row + 1] == type) {
            counts[row + 1]++;
        } else {
            IprofTypes.others(types, counts, row, type, firstSite() + site);
        }
    }

    private static int firstSite() {
        return 0x52525252;
    }
}
