/**
 * A call that meets seven classes, one of them in 80 of 100 calls and the second one in 9. Works STEPS times, prints "ready",
 * and waits for a line: with "busy" it works on in that time, without that call. Then it prints "done" and ends. With "end" it does not wait.
 */
public final class Skewed {
    interface Guest { int stay(int n); }
    record Usual() implements Guest { public int stay(int n) { return n; } }
    record Second() implements Guest { public int stay(int n) { return n + 1; } }
    record Third() implements Guest { public int stay(int n) { return n + 2; } }
    record Fourth() implements Guest { public int stay(int n) { return n + 3; } }
    record Fifth() implements Guest { public int stay(int n) { return n + 4; } }
    record Sixth() implements Guest { public int stay(int n) { return n + 5; } }
    record Seventh() implements Guest { public int stay(int n) { return n + 6; } }

    private static final Guest[] RARE = {new Third(), new Fourth(), new Fifth(), new Sixth(), new Seventh()};

    static int meet(Guest guest, int n) { return guest.stay(n); }

    static int meetAll(int steps) {
        Guest usual = new Usual();
        Guest second = new Second();
        int sum = 0;
        for (int i = 0; i < steps; i++) {
            int hundredth = i % 100;
            Guest guest = hundredth < 80 ? usual : hundredth < 89 ? second : RARE[i % RARE.length];
            sum += meet(guest, i);
        }
        return sum;
    }

    static int spin(int n) {
        int sum = n;
        for (int i = 0; i < 10_000; i++) sum = sum * 31 + i;
        return sum;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(meetAll(Integer.parseInt(args[0])) != 0 ? "ready" : "wrong");
        if (args.length > 1 && args[1].equals("end")) return;
        boolean busy = args.length > 1 && args[1].equals("busy");
        int sum = 0;
        while (busy && System.in.available() == 0) sum = spin(sum);
        System.in.read();
        System.out.println(sum == 42 ? "done, oddly" : "done");
    }
}
