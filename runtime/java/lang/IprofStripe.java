package java.lang;

/** Returns the number of the current thread's stripe to code that can name no class but Object. */
final class IprofStripe {
    @Override
    public int hashCode() {
        return IprofRuntime.stripe();
    }
}
