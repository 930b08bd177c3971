package java.lang;

/** Tells code that can name no class but Object the number of the current thread's stripe. */
final class IprofStripe {
    @Override
    public int hashCode() {
        return IprofRuntime.stripe();
    }
}
