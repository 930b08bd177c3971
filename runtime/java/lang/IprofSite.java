package java.lang;

/**
 * A class-counting site as an object, for code that can name no class but Object. Comparing the site with an object
 * counts the object's class.
 */
final class IprofSite {
    private final int chunk;

    private final int site;

    private IprofSite(int chunk, int site) {
        this.chunk = chunk;
        this.site = site;
    }

    /** Makes the sites of a chunk. The agent calls this. */
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
