package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;

/**
 * One chunk of class-counting sites: calls whose receivers are counted, monitors, type checks.
 *
 * <p>Like {@link IprofCounters0}, this is a template: the agent defines it once more for each further chunk under the name
 * IprofReceiversN, with the number of the chunk's first site written over the constant in {@link #firstSite()}.
 *
 * <p>A site has four rows, each a class and its count. Rows are @Stable: once a row holds a class, C2 treats it as a
 * constant and folds the comparison into the type check of the call that follows. So a row is written once, atomically,
 * and only with classes that are never unloaded before the program ends; all others go to the spill table.
 */
public final class IprofReceivers0 {
    @Stable
    private static final Class<?>[] types = IprofTypes.takeTypes();

    private static final long[] counts = IprofTypes.takeTypeCounts();

    private IprofReceivers0() {}

    /**
     * Counts the class of an object at a site of this chunk; null is not counted. Probes call this. It holds what nearly
     * every call needs and no more, since it is inlined wherever a probe is.
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
     * As {@link #hit}, for long methods with many sites: C1 calls it, since it is too long to be inlined there without an
     * annotation, and C2 inlines it where it is hot. C1 has 10,000 virtual registers for a method, and hit takes some 50.
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
