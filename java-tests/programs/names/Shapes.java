package names;

import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** Every kind of lambda, method reference and proxy, each with a different number of calls. */
public class Shapes {
    interface SerializableFunction extends Function<String, Integer>, Serializable {
    }

    interface Hidden {
        int value(int x);
    }

    interface Greeting<T> {
        T greet(T name);

        default T twice(T name) {
            return greet(greet(name));
        }
    }

    static class Base {
        int inherited(int x) {
            return x + 1;
        }
    }

    static class Derived extends Base {
        IntUnaryOperator own() {
            return this::inherited;
        }
    }

    static long sink;

    static void times(int n, Runnable body) {
        for (int i = 0; i < n; i++) body.run();
    }

    static int plus(int a, int b) {
        return a + b;
    }

    public static void main(String[] args) throws Exception {
        int captured = args.length;
        String text = "abc" + captured;
        IntUnaryOperator plain = x -> x + 1;
        times(11, () -> sink += plain.applyAsInt(1));
        IntUnaryOperator capturing = x -> plus(x, captured) + text.length();
        times(12, () -> sink += capturing.applyAsInt(1));
        Function<String, Integer> reference = String::length;
        times(13, () -> sink += reference.apply(text));
        Function<String, Integer> again = String::length;
        times(14, () -> sink += again.apply(text));
        SerializableFunction serializable = String::length;
        times(15, () -> sink += serializable.apply(text));
        Supplier<List<String>> constructor = ArrayList::new;
        times(16, () -> sink += constructor.get().size());
        IntFunction<int[][]> array = int[][]::new;
        times(17, () -> sink += array.apply(2).length);
        Function<ArrayList<String>, String> inherited = ArrayList::toString;
        times(18, () -> sink += inherited.apply(new ArrayList<>()).length());
        IntUnaryOperator bound = new Derived().own();
        times(19, () -> sink += bound.applyAsInt(2));
        @SuppressWarnings("unchecked")
        Comparator<Object> both = (Comparator<Object> & Serializable) (a, b) -> 0;
        times(20, () -> sink += both.compare("a", "b"));
        Greeting<String> greeting = name -> name + "!";
        times(21, () -> sink += greeting.twice("x").length());
        Callable<Integer> thrower = () -> Integer.parseInt("7");
        for (int i = 0; i < 22; i++) sink += thrower.call();

        InvocationHandler handler = (proxy, method, arguments) -> 5;
        ClassLoader loader = Shapes.class.getClassLoader();
        Callable<?> open = (Callable<?>) Proxy.newProxyInstance(loader, new Class<?>[] {Callable.class}, handler);
        for (int i = 0; i < 23; i++) sink += (Integer) open.call();
        Hidden packagePrivate = (Hidden) Proxy.newProxyInstance(loader, new Class<?>[] {Hidden.class}, handler);
        for (int i = 0; i < 24; i++) sink += packagePrivate.value(i);

        System.out.println("proxy " + open.getClass().getName() + " " + packagePrivate.getClass().getName());
        System.out.println("sink " + sink);
    }
}
