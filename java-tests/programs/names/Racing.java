package names;

import java.util.concurrent.CyclicBarrier;
import java.util.function.IntUnaryOperator;

/** Threads that link the same call sites at the same time. Each class that is generated in the race gets some calls. */
public class Racing {
    static final int THREADS = 8;
    static final int CALLS = 1000;
    static volatile int sink;

    static IntUnaryOperator site(int number) {
        switch (number) {
            case 0: return x -> x + 1;
            case 1: return x -> x + 2;
            case 2: return Math::abs;
            case 3: return Math::abs;
            default: return x -> x + 3;
        }
    }

    public static void main(String[] args) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(new Runnable() {
                @Override
                public void run() {
                    for (int number = 0; number < 5; number++) {
                        try {
                            barrier.await();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        IntUnaryOperator operator = site(number);
                        int sum = 0;
                        for (int j = 0; j < CALLS; j++) sum = operator.applyAsInt(sum);
                        sink = sum;
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("done");
    }
}
