package generator;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The raw code of a well-formed class file's methods. ASM hides the encoding of instructions, but the programs of this
 * test need it (long forms, exact branch offsets, which opcodes are covered).
 */
final class CodeBytes {
  interface Visitor {
    /** `at` is the index of the opcode in the class file; `wide`: whether a wide prefix precedes it. */
    void instruction(int at, int opcode, boolean wide);
  }

  private final ByteBuffer in;
  final byte[] bytes;
  /** Name and descriptor of each method with code, and where its code starts and ends. */
  final Map<String, int[]> methods = new LinkedHashMap<>();

  CodeBytes(byte[] bytes) {
    this.bytes = bytes;
    in = ByteBuffer.wrap(bytes);
    int count = u2(8);
    String[] names = new String[count];
    int at = 10;
    for (int i = 1; i < count; i++) {
      int tag = bytes[at];
      if (tag == 1) names[i] = new String(bytes, at + 3, u2(at + 1));
      at += switch (tag) {
        case 1 -> 3 + u2(at + 1);
        case 5, 6 -> 9;
        case 7, 8, 16, 19, 20 -> 3;
        case 15 -> 4;
        default -> 5;
      };
      if (tag == 5 || tag == 6) i++;
    }
    at += 8 + 2 * u2(at + 6);
    int fields = u2(at);
    at += 2;
    for (int i = 0; i < fields; i++) at = skipAttributes(at + 6);
    readMethods(names, at);
  }

  private void readMethods(String[] names, int at) {
    int count = u2(at);
    at += 2;
    for (int i = 0; i < count; i++) {
      String key = names[u2(at + 2)] + names[u2(at + 4)];
      int attributes = u2(at + 6);
      at += 8;
      for (int k = 0; k < attributes; k++) {
        if (names[u2(at)].equals("Code")) {
          methods.put(key, new int[] {at + 14, at + 14 + in.getInt(at + 10)});
        }
        at += 6 + in.getInt(at + 2);
      }
    }
  }

  private int skipAttributes(int countAt) {
    int at = countAt + 2;
    for (int left = u2(countAt); left > 0; left--) at += 6 + in.getInt(at + 2);
    return at;
  }

  int u2(int at) {
    return in.getShort(at) & 0xFFFF;
  }

  int s2(int at) {
    return in.getShort(at);
  }

  int s4(int at) {
    return in.getInt(at);
  }

  int length(String method) {
    int[] range = methods.get(method);
    return range[1] - range[0];
  }

  void visit(String method, Visitor visitor) {
    int[] range = methods.get(method);
    int at = range[0];
    while (at < range[1]) {
      int opcode = bytes[at] & 0xFF;
      boolean wide = opcode == 0xC4;
      visitor.instruction(wide ? at + 1 : at, wide ? bytes[at + 1] & 0xFF : opcode, wide);
      at += wide ? ((bytes[at + 1] & 0xFF) == 0x84 ? 6 : 4) : length(opcode, at, range[0]);
    }
  }

  private int length(int opcode, int at, int start) {
    if (opcode == 0xAA || opcode == 0xAB) {
      int operands = at + 4 - (at - start) % 4;
      int size = opcode == 0xAA ? 12 + 4 * (in.getInt(operands + 8) - in.getInt(operands + 4) + 1)
          : 8 + 8 * in.getInt(operands + 4);
      return operands + size - at;
    }
    if (opcode == 0x10 || opcode == 0x12 || opcode >= 0x15 && opcode <= 0x19 || opcode >= 0x36 && opcode <= 0x3A
        || opcode == 0xA9 || opcode == 0xBC) {
      return 2;
    }
    if (opcode == 0x11 || opcode == 0x13 || opcode == 0x14 || opcode == 0x84 || opcode >= 0x99 && opcode <= 0xA8
        || opcode >= 0xB2 && opcode <= 0xB8 || opcode == 0xBB || opcode == 0xBD || opcode == 0xC0 || opcode == 0xC1
        || opcode == 0xC6 || opcode == 0xC7) {
      return 3;
    }
    if (opcode == 0xC5) return 4;
    if (opcode == 0xB9 || opcode == 0xBA || opcode == 0xC8 || opcode == 0xC9) return 5;
    return 1;
  }
}
