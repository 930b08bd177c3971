/**
 * Does something else when an AOT cache is made of it ("train") than later ("run"), so that counts of the one can be told from those of
 * the other. Prints "ready", waits for a line if it was not trained, and ends.
 */
public final class Trained {
    static int onlyInTraining(int n) { return (n & 3) == 0 ? n + 1 : n - 1; }
    static int inBoth(int n, boolean isTraining) {
        if (isTraining) return n + 1;
        return (n & 1) == 0 ? n - 1 : n + 2;
    }
    static int onlyLater(int n) { return (n & 3) == 0 ? n - 1 : n + 1; }

    public static void main(String[] args) throws Exception {
        boolean isTraining = args[0].equals("train");
        int steps = Integer.parseInt(args[1]);
        int sum = 0;
        for (int i = 0; i < steps; i++) {
            sum += inBoth(i, isTraining);
            sum += isTraining ? onlyInTraining(i) : onlyLater(i);
        }
        System.out.println(sum != 1 ? "ready" : "wrong");
        if (!isTraining) System.in.read();
        System.out.println("done");
    }
}
