import java.lang.reflect.Modifier;

/** Prints which of the named classes are not final in this JVM. */
public final class FinalClasses {
  private FinalClasses() {}

  public static void main(String[] names) throws ClassNotFoundException {
    for (String name : names) {
      if (!Modifier.isFinal(Class.forName(name, false, null).getModifiers())) System.out.println(name);
    }
  }
}
