import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Prints what reflection and serialisation see of Object and of classes that inherit from it. */
public final class Reflected {
  interface Empty {}

  @SuppressWarnings("serial") // the test checks the computed version
  static class Base implements Serializable {
    private static final long[] NUMBERS = {1, 2};
    int value = 7;
  }

  static final class Derived extends Base implements Empty {
    private static final long serialVersionUID = 1;
    String text = "seven" + NUMBER_COUNT;
    static final int NUMBER_COUNT = Base.NUMBERS.length;
  }

  private static void print(String what, Member... members) {
    System.out.println(what + " " + Arrays.stream(members).map(Object::toString).sorted().collect(Collectors.toList()));
  }

  public static void main(String[] args) throws Exception {
    for (Class<?> c : new Class<?>[] {Object.class, Empty.class, Base.class, Derived.class, int[].class, Thread.class}) {
      print(c.getName() + " fields", c.getFields());
      print(c.getName() + " methods", c.getMethods());
      print(c.getName() + " declared fields", c.getDeclaredFields());
      print(c.getName() + " declared methods", c.getDeclaredMethods());
    }
    System.out.println(ObjectStreamClass.lookup(Base.class));
    System.out.println(ObjectStreamClass.lookup(Derived.class));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new Derived());
    }
    System.out.println(Arrays.toString(bytes.toByteArray()));
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      Derived read = (Derived) in.readObject();
      System.out.println(read.value + " " + read.text);
    }
  }
}
