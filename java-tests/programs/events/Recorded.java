package events;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Does for Java Flight Recorder what it records: two threads that compute, 100 frames deep and through a lambda, that allocate, and
 * that wait for a monitor, a lock and a latch. Works for the given number of ms, prints "ready", and with "wait" works on until there
 * is a line.
 */
public final class Recorded {
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final byte[][] KEPT = new byte[64][];
    private static volatile long sum;

    static long spin(int n) {
        long found = n;
        for (int i = 0; i < n; i++) found += i * 31L ^ found;
        return found;
    }

    static long deep(int n) { return n == 0 ? spin(300_000) : deep(n - 1) + 1; }

    static void step(int i) throws InterruptedException {
        Runnable task = () -> sum += deep(100);
        task.run();
        KEPT[i % KEPT.length] = new byte[50_000 + i % 7];
        synchronized (MONITOR) {
            sum += spin(4_000_000);
        }
        LOCK.lock();
        try {
            sum += spin(4_000_000);
        } finally {
            LOCK.unlock();
        }
        if (i % 8 != 0) return;
        CountDownLatch latch = new CountDownLatch(1);
        Thread other = new Thread(() -> {
            sum += spin(10_000_000);
            latch.countDown();
        }, "counter");
        other.start();
        latch.await();
        other.join();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        boolean waits = args.length > 1 && args[1].equals("wait");
        Thread[] workers = new Thread[2];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(() -> {
                try {
                    for (int k = 0; System.nanoTime() < end || waits; k++) step(k);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, "worker-" + i);
            workers[i].setDaemon(waits);
            workers[i].start();
        }
        if (!waits) for (Thread worker : workers) worker.join();
        while (System.nanoTime() < end) Thread.sleep(10);
        System.out.println("ready");
        if (waits) System.in.read();
    }
}
