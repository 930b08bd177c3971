package jdk.test.whitebox;

import java.lang.reflect.Executable;

/**
 * What we use of HotSpot's own testing interface, which fills in the native methods of a class of this name on the boot
 * class path with -XX:+UnlockDiagnosticVMOptions -XX:+WhiteBoxAPI. It warns of each method that is not declared here.
 */
public final class WhiteBox {
  static {
    registerNatives();
  }

  private static native void registerNatives();

  /** Compiles at the level (1 to 3: C1, 4: C2), and waits for it where the JVM runs with -Xbatch. */
  public native boolean enqueueMethodForCompilation0(Executable method, int level, int bci);

  /** Whether the JVM would compile it by itself: not methods of more than 8,000 bytes. */
  public native boolean isMethodCompilable0(Executable method, int level, boolean onStackReplacement);

  /** 0: there is no compiled code. */
  public native int getMethodCompilationLevel0(Executable method, boolean onStackReplacement);
}
