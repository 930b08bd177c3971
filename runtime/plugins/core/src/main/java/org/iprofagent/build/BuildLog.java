package org.iprofagent.build;

/** Where messages of a build go. Each call is one line. */
public interface BuildLog {
    void info(String line);

    void warn(String line);
}
