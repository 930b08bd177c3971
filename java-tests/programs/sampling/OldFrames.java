package sampling;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * What AsyncGetCallTrace says of a frame whose method gets other code while it runs. Prints lines of frames, innermost first, each
 * "bci/length of the code/o if the JVM calls it obsolete", or "bci/none" if the method has no id. Argument: the native library.
 */
public final class OldFrames {
  /** Enables what AsyncGetCallTrace needs, and makes ids of the class's methods. */
  static native void prepare(Class<?> type);

  static native String frames();

  /** Makes the JVM walk the stacks of all threads. */
  static native void walk();

  static native boolean redefine(Class<?> type, byte[] bytes);

  /** Its code begins with a constant by which it is found in the class file, and has no branch. */
  static final class Runs {
    static void run() throws IOException {
      int mark = 12345;
      say("own", mark);
      redefine(4);
      say("after", mark);
      walk();
      say("walked", mark);
      redefine(10);
      say("again", mark);
    }
  }

  private static void say(String when, int mark) { System.out.println(when + " " + frames() + (mark == 0 ? "!" : "")); }

  private static void redefine(int nops) throws IOException {
    if (!redefine(Runs.class, padded(nops))) {
      throw new IllegalStateException("the class cannot be redefined");
    }
  }

  /**
   * The class file of Runs, with so many instructions that do nothing before the code of run(). The table of variables stays as it is, so its
   * end must be at an instruction in the new code, too: it is with 4 and with 10.
   */
  private static byte[] padded(int nops) throws IOException {
    byte[] bytes;
    try (InputStream in = OldFrames.class.getResourceAsStream("OldFrames$Runs.class")) {
      bytes = in.readAllBytes();
    }
    int code = 0; // the position of "sipush 12345"
    while (bytes[code] != 0x11 || bytes[code + 1] != 0x30 || bytes[code + 2] != 0x39) {
      code++;
    }
    // Before it: length of the attribute (4), stack and locals (4), length of the code (4).
    DataInputStream head = new DataInputStream(new java.io.ByteArrayInputStream(bytes, code - 12, 12));
    int attribute = head.readInt();
    int stackAndLocals = head.readInt();
    int length = head.readInt();
    ByteArrayOutputStream made = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(made);
    out.write(bytes, 0, code - 12);
    out.writeInt(attribute + nops);
    out.writeInt(stackAndLocals);
    out.writeInt(length + nops);
    out.write(new byte[nops]);
    out.write(bytes, code, bytes.length - code);
    return made.toByteArray();
  }

  public static void main(String[] args) throws IOException {
    System.load(args[0]);
    prepare(OldFrames.class);
    new Runs();
    prepare(Runs.class);
    Runs.run();
    say("new", 1);
  }
}
