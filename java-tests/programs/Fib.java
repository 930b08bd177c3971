// Prints the first ten Fibonacci numbers, one every ten milliseconds: the program of the demo.
public class Fib {
    private int previous = 0;
    private int current = 1;

    public static void main(String[] args) {
        Fib fib = new Fib();
        for (int i = 0; i < 10; i++) {
            int num = fib.fibonacci();
            System.out.print(num + " ");
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        System.out.println();
    }

    private synchronized int fibonacci() {
        int result = previous;
        previous = current;
        current = result + previous;
        return result;
    }
}
