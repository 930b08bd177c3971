package runner;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Usage: RunAll PROGRAMS.jar, with the jar also on the class path. Calls every static method without parameters whose
 * name starts with "t", in every class, three times (so that code also runs compiled after its references are
 * resolved). It prints what the method put into the Sink, and what it returned, or what it threw with the frames and
 * line numbers of the programs. The output of original and rewritten programs must be the same.
 */
public final class RunAll {
  private RunAll() {}

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    Method take = Class.forName("behaviour.Sink").getMethod("take");
    for (String name : classes(args[0])) {
      Class<?> type;
      Method[] methods;
      try {
        type = Class.forName(name, false, RunAll.class.getClassLoader());
        methods = type.getDeclaredMethods();
      } catch (Throwable e) {
        out.println(name + ": " + e);
        continue;
      }
      Arrays.sort(methods, Comparator.comparing(Method::getName));
      for (Method method : methods) {
        if (!method.getName().startsWith("t") || method.getParameterCount() > 0
            || !Modifier.isStatic(method.getModifiers()) || method.isSynthetic()) continue;
        method.setAccessible(true);
        String last = null;
        for (int round = 0; round < 3; round++) {
          take.invoke(null);
          String result = call(method);
          result = take.invoke(null) + result;
          if (!result.equals(last)) out.println(name + "." + method.getName() + ": " + result);
          last = result;
        }
      }
    }
    out.flush();
  }

  private static String call(Method method) throws Exception {
    try {
      return "-> " + method.invoke(null);
    } catch (InvocationTargetException e) {
      return "threw " + describe(e.getCause());
    }
  }

  private static String describe(Throwable e) {
    StringBuilder text = new StringBuilder();
    for (Throwable at = e; at != null; at = at.getCause()) {
      // The text of a linkage error contains bytecode offsets, which change by rewriting.
      text.append(at instanceof LinkageError ? at.getClass().getName() : at.toString()).append(" [");
      int frames = 0;
      for (StackTraceElement frame : at.getStackTrace()) {
        if (frame.getClassName().startsWith("behaviour") && frames++ < 20) {
          text.append(frame.getClassName()).append('.').append(frame.getMethodName()).append(':')
              .append(frame.getLineNumber()).append(' ');
        }
      }
      text.append("] ");
      for (Throwable hidden : at.getSuppressed()) text.append("suppressed ").append(hidden).append(' ');
    }
    return text.toString();
  }

  private static List<String> classes(String jar) throws IOException {
    List<String> names = new ArrayList<>();
    try (ZipFile zip = new ZipFile(jar)) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (entry.getName().endsWith(".class")) names.add(entry.getName().replace(".class", "").replace('/', '.'));
      }
    }
    Collections.sort(names);
    return names;
  }
}
