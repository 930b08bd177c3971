package counting;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Calls without an invoke instruction that names the callee: reflection, method handles, lambdas, streams, proxies. */
final class Dynamic {
  private static long reflected, reflectedOdd, reflectedThrows, made, handled, handledSmall, bound, lambdas, lambdaBig;
  private static long referenced, captured, streamed, streamKept, proxied, proxiedOther, suppliers;

  final int value;

  Dynamic(int value) {
    made++;
    this.value = value;
  }

  static int reflected(int x) {
    reflected++;
    if ((x & 1) == 1) reflectedOdd++; // @reflected
    if (x % 10 == 9) { // @reflectedThrow
      reflectedThrows++;
      throw new IllegalStateException();
    }
    return x;
  }

  static int handled(int x, String s) {
    handled++;
    if (x < 100) handledSmall++; // @handled
    return x + s.length();
  }

  int bound(int x) {
    bound++;
    return value + x;
  }

  static int referenced(int a, int b) {
    referenced++;
    return a * b;
  }

  interface Greeter {
    int greet(int x);

    String other();
  }

  private static final class Handler implements InvocationHandler {
    @Override
    public Object invoke(Object proxy, Method method, Object[] args) {
      if (method.getName().equals("greet")) { // @proxy
        proxied++;
        return (Integer) args[0] + 1;
      }
      proxiedOther++;
      return "other";
    }
  }

  private static int apply(IntUnaryOperator f, int x) {
    return f.applyAsInt(x);
  }

  private static long rounds;

  static long run(int times) throws Throwable {
    rounds = times;
    long sum = 0;
    Method method = Dynamic.class.getDeclaredMethod("reflected", int.class);
    Constructor<Dynamic> constructor = Dynamic.class.getDeclaredConstructor(int.class);
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodHandle handle = lookup.findStatic(
        Dynamic.class, "handled", MethodType.methodType(int.class, int.class, String.class));
    MethodHandle curried = MethodHandles.insertArguments(handle, 1, "four");
    Greeter greeter = (Greeter) Proxy.newProxyInstance(
        Dynamic.class.getClassLoader(), new Class<?>[] {Greeter.class}, new Handler());
    IntBinaryOperator reference = Dynamic::referenced;
    for (int i = 0; i < times; i++) {
      try {
        sum += (Integer) method.invoke(null, i);
      } catch (InvocationTargetException e) {
        sum--;
      }
      Dynamic object = constructor.newInstance(i);
      sum += (int) handle.invokeExact(i, "abc");
      sum += (int) curried.invoke(i);
      MethodHandle virtual = lookup.findVirtual(Dynamic.class, "bound", MethodType.methodType(int.class, int.class));
      if (i % 64 == 0) sum += (int) virtual.invoke(object, 1);
      IntUnaryOperator bound = object::bound;
      sum += apply(bound, i);
      int add = i;
      sum += apply(x -> { // @outside
        lambdas++; // @lambda
        if (x > 500) lambdaBig++; // @lambdaIf
        return x + 1;
      }, i);
      Supplier<Integer> supplier = () -> {
        captured++; // @capturing
        return add;
      };
      sum += supplier.get();
      sum += reference.applyAsInt(i, 3);
      sum += greeter.greet(i) + greeter.other().length();
    }
    List<Supplier<Supplier<Integer>>> list = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int n = i;
      list.add(() -> () -> {
        suppliers++; // @lambdaInLambda
        return n;
      });
    }
    for (Supplier<Supplier<Integer>> s : list) sum += s.get().get();
    sum += IntStream.range(0, 1000).filter(x -> {
      streamed++; // @filter
      return x % 3 == 0; // @filterIf
    }).map(x -> {
      streamKept++; // @map
      return x * 2;
    }).sum();
    return sum;
  }

  static void expect() {
    Expect e = new Expect(Dynamic.class);
    e.calls("reflected(I)I", reflected);
    e.branch("reflected", reflected - reflectedOdd, reflectedOdd);
    e.branch("reflectedThrow", reflected - reflectedThrows, reflectedThrows);
    e.abrupt("reflected(I)I", reflectedThrows);
    e.calls("<init>(I)V", made);
    e.calls("handled(ILjava/lang/String;)I", handled);
    e.branch("handled", handled - handledSmall, handledSmall);
    e.calls("bound(I)I", bound);
    e.calls("referenced(II)I", referenced);
    e.calls("apply(Ljava/util/function/IntUnaryOperator;I)I", 2 * rounds);
    e.entry("lambda", lambdas);
    e.branch("lambdaIf", lambdas - lambdaBig, lambdaBig);
    e.entry("capturing", captured);
    e.entry("lambdaInLambda", suppliers);
    e.entry("filter", streamed);
    e.branch("filterIf", streamed - streamKept, streamKept);
    e.entry("map", streamKept);
    Expect h = new Expect(Handler.class);
    h.calls("invoke(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;",
        proxied + proxiedOther);
    h.value("proxy", 0, proxiedOther, proxied);
  }
}
