/** The plugin for Gradle. Each of its tasks calls one step of org.iprofagent.build. */
package org.iprofagent.gradle;
