package verify;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the names of a class and its superclass from a class file without the JVM, and writes the smallest class with a
 * given name. Never throws on damaged bytes: a name that cannot be read is null.
 */
final class ClassFileName {
  final String name;
  final String superName;

  private ClassFileName(String name, String superName) {
    this.name = name;
    this.superName = superName;
  }

  static ClassFileName of(byte[] b) {
    try {
      int count = u2(b, 8);
      int[] offsets = new int[count];
      int at = 10;
      for (int i = 1; i < count; i++) {
        offsets[i] = at;
        switch (b[at]) {
          case 1 -> at += 3 + u2(b, at + 1);
          case 3, 4, 9, 10, 11, 12, 17, 18 -> at += 5;
          case 5, 6 -> {
            at += 9;
            i++;
          }
          case 7, 8, 16, 19, 20 -> at += 3;
          case 15 -> at += 4;
          default -> {
            return new ClassFileName(null, null);
          }
        }
      }
      return new ClassFileName(className(b, offsets, u2(b, at + 2)), className(b, offsets, u2(b, at + 4)));
    } catch (RuntimeException damaged) {
      return new ClassFileName(null, null);
    }
  }

  private static String className(byte[] b, int[] offsets, int index) {
    if (index == 0) return null;
    int utf8 = offsets[u2(b, offsets[index] + 1)];
    return new String(b, utf8 + 3, u2(b, utf8 + 1), StandardCharsets.UTF_8).replace('/', '.');
  }

  private static int u2(byte[] b, int at) {
    return (b[at] & 0xFF) << 8 | b[at + 1] & 0xFF;
  }

  /** An empty public class or interface with that name. */
  static byte[] stub(String name, boolean asClass) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeInt(0xCAFEBABE);
      out.writeInt(52);
      out.writeShort(5);
      out.writeByte(1);
      out.writeUTF(name.replace('.', '/'));
      out.writeByte(7);
      out.writeShort(1);
      out.writeByte(1);
      out.writeUTF("java/lang/Object");
      out.writeByte(7);
      out.writeShort(3);
      out.writeShort(asClass ? 0x0021 : 0x0601);
      out.writeShort(2);
      out.writeShort(4);
      out.writeLong(0);  // no interfaces, fields, methods, attributes
      return bytes.toByteArray();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
