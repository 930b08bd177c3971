package selftest;

import static org.objectweb.asm.Opcodes.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;

/**
 * Usage: Sabotage stack|frames|value EVERY IN.jar OUT.jar. Damages every EVERYth class like a faulty rewriter: too
 * little operand stack, a frame with a wrong type for a local, another text. The harness must notice.
 */
public final class Sabotage {
  private Sabotage() {}

  public static void main(String[] args) throws IOException {
    int position = 0;
    try (ZipFile in = new ZipFile(args[2]);
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(Path.of(args[3])))) {
      for (ZipEntry entry : Collections.list(in.entries())) {
        byte[] bytes = in.getInputStream(entry).readAllBytes();
        boolean chosen = entry.getName().endsWith(".class") && position++ % Integer.parseInt(args[1]) == 0;
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(chosen ? spoiled(bytes, args[0]) : bytes);
        out.closeEntry();
      }
    }
  }

  private static byte[] spoiled(byte[] bytes, String how) {
    ClassReader reader;
    try {
      reader = new ClassReader(bytes);
    } catch (RuntimeException damagedAlready) {
      return bytes;
    }
    ClassWriter writer = new ClassWriter(0);
    reader.accept(new ClassVisitor(ASM9, writer) {
      @Override
      public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
        return switch (how) {
          case "stack" -> new LessStack(next);
          case "frames" -> new BolderFrames(next);
          default -> new OtherConstants(next);
        };
      }
    }, ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  private static final class LessStack extends MethodVisitor {
    LessStack(MethodVisitor next) {
      super(ASM9, next);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      super.visitMaxs(Math.max(0, stack - 1), locals);
    }
  }

  private static final class BolderFrames extends MethodVisitor {
    BolderFrames(MethodVisitor next) {
      super(ASM9, next);
    }

    @Override
    public void visitFrame(int type, int locals, Object[] local, int stacks, Object[] stack) {
      Object[] bolder = java.util.Arrays.copyOf(local, locals + 1);
      bolder[locals] = INTEGER;  // a local that the original frame does not have
      super.visitFrame(type, locals + 1, bolder, stacks, stack);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      super.visitMaxs(stack, locals + 2);
    }
  }

  private static final class OtherConstants extends MethodVisitor {
    OtherConstants(MethodVisitor next) {
      super(ASM9, next);
    }

    @Override
    public void visitLdcInsn(Object value) {
      super.visitLdcInsn(value instanceof String text ? text + "?" : value);
    }
  }
}
