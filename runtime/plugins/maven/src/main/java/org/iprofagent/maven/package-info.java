/** The goals of iprof-maven-plugin. Each finds its values in the Maven project, and calls one step of org.iprofagent.build. */
package org.iprofagent.maven;
