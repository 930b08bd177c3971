/** Loads and controls iprofagent in the JVM that runs this code. Begin with {@link org.iprofagent.IprofAgent}. */
package org.iprofagent;
