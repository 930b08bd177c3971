package oracle;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.jar.JarFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent that has every method of the program load a dynamic constant first: the JVM resolves it at the first call, which would
 * give the exact order of first calls, and costs nothing afterwards. It shows why iprofagent does not do so.
 *
 * <p>Options: {@code OUTPUT;HITS_JAR}. Writes nothing.
 */
public final class EntryConstants implements ClassFileTransformer {
  private static final Handle ENTERED = new Handle(Opcodes.H_INVOKESTATIC, "oracle/hits/EntryOrder", "entered",
      "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)I", false);

  public static void premain(String text, Instrumentation instrumentation) throws Exception {
    instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(text.split(";")[1]));
    instrumentation.addTransformer(new EntryConstants());
  }

  @Override
  public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
    if (loader != ClassLoader.getSystemClassLoader() || name.startsWith("oracle/") || name.startsWith("org/objectweb/")) return null;
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
      private int methods;

      @Override
      public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] exceptions) {
        return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, method, descriptor, signature, exceptions)) {
          @Override
          public void visitCode() {
            super.visitCode();
            super.visitLdcInsn(new ConstantDynamic("m" + methods++, "I", ENTERED)); // each method its own
            super.visitInsn(Opcodes.POP);
          }
        };
      }
    }, 0);
    return writer.toByteArray();
  }
}
