/** What the plugins for Maven and Gradle share: the agent's command line, calls of the tool, and where profiles are. */
package org.iprofagent.build;
