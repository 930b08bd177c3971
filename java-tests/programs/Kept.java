import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * Sees which of its classes have probes: Kept LIBRARY. Answers each line of its input with the line and numbers:
 *
 * <p>note: remembers how long the code of each class is; the number of classes.
 *
 * <p>longer: how many of those classes have longer code now, and how many hidden classes were defined since.
 *
 * <p>lambdas: defines new lambdas and keeps them; the length of the code of their classes. The lambdas of all earlier lines are
 * called, too.
 *
 * <p>again: the same, but the lambdas have the names of the first ones.
 */
public class Kept {
    private static final Map<Class<?>, Integer> NOTED = new IdentityHashMap<>();
    private static final List<IntUnaryOperator> LAMBDAS = new ArrayList<>();

    /** Five lambdas. A loader defines this class with another digit each time, as the agent identifies lambdas by their names. */
    public static final class Maker0 implements Supplier<List<IntUnaryOperator>> {
        @Override
        public List<IntUnaryOperator> get() {
            return List.of(x -> x + 1, x -> x > 3 ? x : -x, x -> x * 2, x -> x - 1, Math::abs);
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(Kept.class.getClassLoader());
        }

        Class<?> define(int digit) throws IOException {
            try (InputStream in = Kept.class.getResourceAsStream("Kept$Maker0.class")) {
                String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).replace("Maker0", "Maker" + digit);
                byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
                return defineClass("Kept$Maker" + digit, bytes, 0, bytes.length);
            }
        }
    }

    static native Class<?>[] loaded();

    static native int codeLength(Class<?> type);

    static String answer(String line) throws Exception {
        switch (line) {
            case "note":
                NOTED.clear();
                for (Class<?> type : loaded()) {
                    if (type != null) {
                        NOTED.put(type, codeLength(type));
                    }
                }
                return String.valueOf(NOTED.size());
            case "longer":
                int longer = 0;
                int hidden = 0;
                for (Class<?> type : loaded()) {
                    Integer noted = type == null ? null : NOTED.get(type);
                    longer += noted != null && codeLength(type) > noted ? 1 : 0;
                    hidden += noted == null && type != null && type.isHidden() ? 1 : 0;
                }
                return longer + " " + hidden;
            default:
                int first = LAMBDAS.size();
                Class<?> type = new Loader().define(line.equals("again") ? 0 : first / 5 % 10);
                Supplier<?> maker = (Supplier<?>) type.getDeclaredConstructor().newInstance();
                for (Object made : (List<?>) maker.get()) {
                    LAMBDAS.add((IntUnaryOperator) made);
                }
                int length = 0;
                int sum = 0;
                for (int i = 0; i < LAMBDAS.size(); i++) {
                    length += i < first ? 0 : codeLength(LAMBDAS.get(i).getClass());
                    sum += LAMBDAS.get(i).applyAsInt(7);
                }
                return length + " " + sum / (LAMBDAS.size() / 5);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.load(arguments[0]);
        System.setProperty("kept", answer("note") + answer("longer") + answer("lambdas")); // links all that the answers need
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(line + " " + answer(line));
        }
    }
}
