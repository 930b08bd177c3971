package iprof.agent;

/** Like {@link LoaderCounters}, for a chunk of class-counting sites. */
public final class LoaderSites {
    /** Objects that count the objects that they are compared with: see java.lang.IprofSite. */
    private static final Object[] sites = none();

    private LoaderSites() {}

    public static void hit(Object object, int site) {
        sites[site].equals(object);
    }

    /** See java.lang.IprofReceivers0.meet. */
    public static void meet(Object object, int site) {
        sites[site].equals(object);
    }

    private static Object[] none() {
        return null;
    }
}
