package sampling;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Has HotSpot walk the stacks of its threads in every way: exceptions, StackWalker, overflows, deoptimisations, and collections
 * at the same time. It prints what the stacks showed, which is the same in every run, and the CPU time. Arguments: threads, rounds.
 */
public final class Walked {
  private static final AtomicLong CPU = new AtomicLong();

  /** One implementation at first; code that was compiled with it is thrown away when the other one comes. */
  private interface Shape {
    long area(long x);
  }

  private static final class First implements Shape {
    @Override public long area(long x) {
      return x * 3;
    }
  }

  private static final class Second implements Shape {
    @Override public long area(long x) {
      return x * 5;
    }
  }

  private static long fail(int depth, Shape shape) {
    if (depth == 0) {
      throw new IllegalStateException("at " + shape.area(depth + 2));
    }
    try {
      return fail(depth - 1, shape) + 1;
    } catch (UnsupportedOperationException e) {
      return -1; // never, but the exception looks for a handler here
    }
  }

  private static long hash(StackTraceElement[] trace) {
    long hash = trace.length;
    for (StackTraceElement each : trace) {
      hash = hash * 31 + each.getMethodName().hashCode() * 7L + each.getLineNumber();
    }
    return hash;
  }

  private static long walk(int depth) {
    if (depth > 0) {
      return walk(depth - 1);
    }
    return StackWalker.getInstance().walk(frames -> frames.filter(f -> f.getMethodName().equals("walk"))
        .mapToLong(f -> f.getByteCodeIndex() + 1).sum());
  }

  private static int overflow(int depth) {
    return overflow(depth + 1) + 1;
  }

  private static long round(int round, Shape shape) {
    long seen = 0;
    try {
      fail(round % 40, shape);
    } catch (IllegalStateException e) {
      seen = hash(e.getStackTrace()) + e.getMessage().length();
    }
    seen = seen * 31 + walk(300 + round % 30);
    if (round % 500 == 0) {
      try {
        seen += overflow(0);
      } catch (StackOverflowError e) {
        seen += 17;
      }
    }
    return seen;
  }

  private static void run(int rounds, long[] result, int number) {
    long start = Clock.cpuNs();
    long seen = 0;
    for (int round = 0; round < rounds; round++) {
      seen = seen * 31 + round(round, round < rounds / 2 ? new First() : new Second());
      if (round % 1_000 == 0) {
        System.gc();
      }
    }
    result[number] = seen;
    CPU.addAndGet(Clock.cpuNs() - start);
  }

  public static void main(String[] args) throws InterruptedException {
    Clock.cpuNs();
    int rounds = Integer.parseInt(args[1]);
    long[] results = new long[Integer.parseInt(args[0])];
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      int number = i;
      threads.add(new Thread(() -> run(rounds, results, number)));
    }
    for (Thread thread : threads) {
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (long result : results) {
      System.out.println("saw " + result);
    }
    System.out.println("spent " + CPU.get());
  }
}
