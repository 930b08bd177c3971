import java.util.function.Supplier;

// One of each kind of name: nested, array, bridge, lambda, non-ASCII and outside the basic plane.
public class Names {
    interface Shape<T> {
        T area();
    }

    static class Square implements Shape<Integer> {
        @Override
        public Integer area() {  // javac adds the bridge "Object area()"
            return 4;
        }
    }

    static long mixed(int[] numbers, String[][] words, double d, Names self) {
        return numbers.length + words.length + (long) d;
    }

    static int größe\u20ac() {
        return 1;
    }

    static int \ud835\udc65() {  // U+1D465, mathematical x
        return 1;
    }

    public static void main(String[] args) {
        Shape<Integer> shape = new Square();
        Supplier<Integer> lambda = () -> shape.area();
        System.out.println(mixed(new int[1], new String[1][], 1.5, null) + lambda.get() + größe\u20ac() + \ud835\udc65());
    }
}
