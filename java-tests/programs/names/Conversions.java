package names;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Method references that differ in what is boxed, cast, captured and implemented; some share a name, some do not. */
public class Conversions {
    interface Greeter<T> {
        Object greet(T name);
    }

    interface Narrow extends Function<String, Object> {
        @Override
        Object apply(String text);
    }

    static final List<Object> made = new ArrayList<>();

    static int number() {
        return 7;
    }

    static long wide(long value) {
        return value;
    }

    static Object same(Object value) {
        return value;
    }

    static void nothing(Object value) {
        made.size();
    }


    static void numbers() {
        Function<Integer, Integer> boxed = Math::abs;
        Function<Byte, Integer> fromByte = Math::abs;
        Function<Short, Object> fromShort = Math::abs;
        Function<Integer, Object> toObject = Math::abs;
        IntFunction<Integer> fromInt = Math::abs;
        IntFunction<Object> fromIntToObject = Math::abs;
        ToIntFunction<Integer> toInt = Math::abs;
        ToLongFunction<Integer> toLong = Math::abs;
        IntUnaryOperator plain = Math::abs;
        IntToLongFunction widened = Conversions::wide;
        ToLongFunction<Long> unboxed = Conversions::wide;
        ToLongFunction<Integer> unboxedAndWidened = Conversions::wide;
        ToLongFunction<Character> fromCharacter = Conversions::wide;
        Supplier<Integer> supplier = Conversions::number;
        Supplier<Object> supplierOfObject = Conversions::number;
        Callable<Integer> callable = Conversions::number;
        IntSupplier ints = Conversions::number;
        LongSupplier longs = Conversions::number;
        Predicate<Character> predicate = Character::isDigit;
        Function<Character, Boolean> function = Character::isDigit;
        for (Object each : new Object[] {boxed, fromByte, fromShort, toObject, fromInt, fromIntToObject, toInt, toLong,
            plain, widened, unboxed, unboxedAndWidened, fromCharacter, supplier, supplierOfObject, callable, ints, longs,
            predicate, function}) {
            made.add(each);
        }
    }

    static void objects(List<Object> list, String text) {
        Function<String, Object> cast = Conversions::same;
        Function<Object, Object> uncast = Conversions::same;
        Narrow narrow = Conversions::same;
        Greeter<List<String>> greeter = Conversions::same;
        Consumer<String> dropped = Conversions::same;
        Consumer<Object> nothing = Conversions::nothing;
        Consumer<String> added = list::add;
        Function<String, Boolean> asked = list::add;
        Predicate<Object> tested = list::add;
        Supplier<String> bound = text::trim;
        Function<String, String> unbound = String::trim;
        Supplier<Object> constructor = ArrayList::new;
        Supplier<List<String>> typed = ArrayList::new;
        IntFunction<List<String>> sized = ArrayList::new;
        Function<Integer, Object> boxedSize = ArrayList::new;
        IntFunction<Object> array = String[]::new;
        Function<Integer, String[]> typedArray = String[]::new;
        Function<int[], Object> cloned = int[]::clone;
        Runnable serializable = (Runnable & Serializable) Conversions::number;
        Runnable cloneable = (Runnable & Serializable & Cloneable) Conversions::number;
        Runnable plain = Conversions::number;
        for (Object each : new Object[] {cast, uncast, narrow, greeter, dropped, nothing, added, asked, tested, bound,
            unbound, constructor, typed, sized, boxedSize, array, typedArray, cloned, serializable, cloneable, plain}) {
            made.add(each);
        }
    }

    static void again(String text, int number) {
        Function<Integer, Integer> boxed = Math::abs;
        Function<Byte, Integer> fromByte = Math::abs;
        ToIntFunction<Integer> toInt = Math::abs;
        Supplier<String> bound = text::trim;
        Supplier<Integer> supplier = Conversions::number;
        Function<String, Object> cast = Conversions::same;
        IntUnaryOperator capturing = x -> x + number;
        IntUnaryOperator capturingAgain = x -> x + number;
        for (Object each : new Object[] {boxed, fromByte, toInt, bound, supplier, cast, capturing, capturingAgain})
            made.add(each);
    }

    public static void main(String[] args) {
        objects(new ArrayList<>(), "text");
        numbers();
        again("text", args.length);
        System.out.println(made.size());
    }
}
