package iprof.agent;

/** As {@link LoaderCounters}, for a chunk of class-counting sites. */
public final class LoaderSites {
    /** Objects that count what they are compared with: see java.lang.IprofSite. */
    private static final Object[] sites = none();

    private LoaderSites() {}

    public static void hit(Object object, int site) {
        sites[site].equals(object);
    }

    /** As java.lang.IprofReceivers0.meet. */
    public static void meet(Object object, int site) {
        sites[site].equals(object);
    }

    private static Object[] none() {
        return null;
    }
}
