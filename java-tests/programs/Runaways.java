import java.util.Arrays;

/**
 * Programs whose few counts mislead. Each does a known work, prints "ready", and waits for a line unless it has a second argument.
 * A method that is not compiled has counters of its branches and calls from its 513th call on.
 *
 *   pages   calls page() 514 times, which calls sort() the first 7 times and the last 2 times
 *   full    one loop fills a buffer of 10,000 numbers, and sorts some when it is full, 5 times in all
 *   walk    calls walk() 512 times, which does not call itself, and then 31 times, 30 of them by itself
 *   leaf    one loop calls leaf() 20,000,000 times, which C2 compiles
 */
public final class Runaways {
    static final int PAGES = 514;
    static final int BUFFER = 10_000, FILLED = 5 * BUFFER + 3;
    static final int LEAVES = 20_000_000;

    static long sum;

    static int compare(int a, int b) { return a < b ? -1 : a > b ? 1 : 0; }

    /** Too large to be inlined. */
    static void sort(int[] values) {
        for (int i = 1; i < values.length; i++) {
            int value = values[i], at = i;
            for (; at > 0 && compare(values[at - 1], value) > 0; at--) values[at] = values[at - 1];
            values[at] = value;
        }
        int low = values[0], high = values[values.length - 1];
        sum += low * 31L + high * 17L + values.length * 13L + (low ^ high) * 7L + (low & high) * 5L + (low | high) * 3L;
        sum += low * 37L + high * 19L + values.length * 11L + (low ^ high) * 23L + (low & high) * 29L + (low | high) * 41L;
        sum += low * 43L + high * 47L + values.length * 53L + (low ^ high) * 59L + (low & high) * 61L + (low | high) * 67L;
        sum += low * 71L + high * 73L + values.length * 79L + (low ^ high) * 83L + (low & high) * 89L + (low | high) * 97L;
        sum += low * 101L + high * 103L + values.length * 107L + (low ^ high) * 109L + (low & high) * 113L + (low | high) * 127L;
        sum += low * 131L + high * 137L + values.length * 139L + (low ^ high) * 149L + (low & high) * 151L + (low | high) * 157L;
    }

    static int[] table(int size) {
        int[] values = new int[size];
        for (int i = 0; i < size; i++) values[i] = i * 31 % size;
        return values;
    }

    static void page(int n, boolean sorts) {
        sum += n;
        if (sorts) sort(table(20));
    }

    static void pages() {
        for (int i = 0; i < PAGES; i++) page(i, i < 7 || i >= PAGES - 2);
    }

    static void full() {
        int[] buffer = new int[BUFFER];
        int used = 0;
        for (int i = 0; i < FILLED; i++) {
            if (used == buffer.length) {
                sort(Arrays.copyOf(buffer, 20));
                used = 0;
            }
            buffer[used++] = i;
        }
    }

    static void visit(int n) { sum += n; }

    static void walk(int depth) {
        visit(depth);
        if (depth == 0) return;
        walk(depth - 1);
        walk(depth - 1);
    }

    static void walks() {
        for (int i = 0; i < 5120; i++) {
            if (i % 10 == 0) walk(0);
        }
        walk(4);
    }

    static int leaf(int n) { return n * 31 ^ n >> 3; }

    static void leaves() {
        int result = 0;
        for (int i = 0; i < LEAVES; i++) result += leaf(i);
        sum += result;
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "pages" -> pages();
            case "full" -> full();
            case "walk" -> walks();
            case "leaf" -> leaves();
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println(sum != 1 ? "ready" : "");
        if (args.length == 1) System.in.read();
        System.out.println("done");
    }
}
