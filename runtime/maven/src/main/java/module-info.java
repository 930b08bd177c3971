/** Loads and controls iprofagent in the JVM that runs this code. See {@link org.iprofagent.IprofAgent}. */
module org.iprofagent {
    // The JVM loads the agent through a diagnostic command, which this module offers.
    requires jdk.management;
    requires java.management;

    exports org.iprofagent;
}
