/**
 * Calls methods that C2 leaves out or replaces: boxing whose result is opened again, a chain of StringBuilder, and an intrinsic.
 * Boxes ROUNDS calls Long.valueOf(long), Long.longValue(), StringBuilder's constructor, append(int), append(String) and toString(),
 * and Math.max(int, int) once a round. Half of the numbers are in the cache of Long.
 */
public final class Boxes {
    private static long sum;

    private static long boxed(long number) {
        Long box = Long.valueOf(number);
        return box.longValue();
    }

    private static int length(int number) {
        return new StringBuilder().append(number).append("th").toString().length();
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        for (int i = 0; i < rounds; i++) {
            sum += boxed(i & 255);
            sum += length(i & 1023);
            sum += Math.max(i & 7, 3);
        }
        System.out.println(sum);
    }
}
