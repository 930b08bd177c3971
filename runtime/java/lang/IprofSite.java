package java.lang;

/**
 * A class-counting site as an object, for code that can name no class but Object: to compare the site with an object counts
 * the object's class.
 */
final class IprofSite {
    private final int chunk;

    private final int site;

    private IprofSite(int chunk, int site) {
        this.chunk = chunk;
        this.site = site;
    }

    /** The sites of a chunk. Called by the agent. */
    private static Object[] make(int chunk) {
        Object[] made = new Object[IprofTypes.CHUNK_SITES];
        for (int i = 0; i < made.length; i++) {
            made[i] = new IprofSite(chunk, i);
        }
        return made;
    }

    @Override
    public boolean equals(Object object) {
        IprofReach.hit(object, chunk, site);
        return false;
    }

    @Override
    public int hashCode() {
        return site;
    }
}
