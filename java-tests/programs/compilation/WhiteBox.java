package jdk.test.whitebox;

import java.lang.reflect.Executable;

/**
 * The methods that we use of HotSpot's testing interface. With -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI, HotSpot
 * implements the native methods of a class with this name on the boot class path. It warns about each of its methods
 * that is not declared here.
 */
public final class WhiteBox {
  static {
    registerNatives();
  }

  private static native void registerNatives();

  /** Compiles at the level (1 to 3: C1, 4: C2), and waits for the result if the JVM runs with -Xbatch. */
  public native boolean enqueueMethodForCompilation0(Executable method, int level, int bci);

  /** Whether the JVM would compile it without a request; false for methods of more than 8,000 bytes. */
  public native boolean isMethodCompilable0(Executable method, int level, boolean onStackReplacement);

  /** 0 means there is no compiled code. */
  public native int getMethodCompilationLevel0(Executable method, boolean onStackReplacement);
}
