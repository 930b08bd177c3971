package counting;

import java.util.ArrayList;
import java.util.List;

/**
 * Methods of 4,000 to 8,000 bytes with known counts, generated at run time. Most have no room for a probe on every
 * branch. The first argument says how often each is called. With "hot", it prints only the counts that must be in every
 * profile; with "all", it prints all counts, for a checker that allows omissions.
 */
public final class LongMethods {
  private static final int LOAD_0 = 0x1a, LOAD_2 = 0x1c, STORE_2 = 0x3d, ALOAD_1 = 0x2b, CONST_0 = 3, RETURN = 0xac;
  private static final int GOTO = 0xa7, IFLE = 0x9e, IF_ICMPNE = 0xa0, POP = 0x57, NOP = 0, AND = 0x7e;

  /** A branch, switch or call whose executions are counted while the method's twin in Java runs. */
  private static final class Place {
    final boolean hot;
    int bci;
    long taken, not;
    ByteCode.Label[] targets;
    long[] counts;
    final Expect.Tally receivers = new Expect.Tally();
    boolean isCall;

    Place(boolean hot) {
      this.hot = hot;
    }
  }

  interface Twin {
    int run(int n, Object o);
  }

  private final String name;
  private final ByteCode made;
  private final ByteCode.Code code;
  private final List<Place> places = new ArrayList<>();
  private Twin twin;
  private long calls;

  private LongMethods(String name) {
    this.name = "counting.made." + name;
    made = new ByteCode(this.name);
    code = made.code();
  }

  private Place place(boolean hot) {
    Place place = new Place(hot);
    places.add(place);
    return place;
  }

  private Place call(boolean hot) {
    Place place = place(hot);
    place.isCall = true;
    code.op(ALOAD_1);
    place.bci = code.invokeVirtual("java/lang/Object", "hashCode", "()I");
    code.op(POP);
    return place;
  }

  private Place tableSwitch(boolean hot, int keys, int call, ByteCode.Label end, List<Place> inside) {
    Place place = place(hot);
    place.targets = new ByteCode.Label[keys];
    place.counts = new long[keys];
    for (int k = 0; k < keys; k++) place.targets[k] = new ByteCode.Label();
    place.bci = code.tableSwitch(0, end, place.targets);
    for (int k = 0; k < keys; k++) {
      code.bind(place.targets[k]).op(0x84, 2, k % 100); // iinc
      if (call != 0) inside.add(call(false));
      code.jump(GOTO, end);
    }
    return place;
  }

  /** Cold branches, every fifth with a call, up to the size; then the end of the method. */
  private Twin filler(int size) {
    List<Place> ifs = new ArrayList<>();
    List<Place> inside = new ArrayList<>();
    while (code.bci() + 15 + 2 <= size) {
      int k = ifs.size();
      ByteCode.Label next = new ByteCode.Label();
      Place test = place(false);
      code.op(LOAD_2, 0x11).u2(k * 3); // sipush
      test.bci = code.jump(IF_ICMPNE, next);
      code.op(0x84, 2, 1);
      inside.add(k % 5 == 0 ? call(false) : null);
      code.bind(next);
      ifs.add(test);
    }
    while (code.bci() + 2 < size) code.op(NOP);
    code.op(LOAD_2, RETURN);
    made.method("f", "(ILjava/lang/Object;)I", 2, 3, code);
    return (r, o) -> {
      for (int k = 0; k < ifs.size(); k++) {
        if (r == k * 3) {
          ifs.get(k).not++;
          r++;
          if (inside.get(k) != null) inside.get(k).receivers.add(o);
        } else {
          ifs.get(k).taken++;
        }
      }
      return r;
    };
  }

  /** A loop around a switch and a call, then many cold branches. */
  private static LongMethods loop(int size) {
    LongMethods m = new LongMethods("Loop" + size);
    ByteCode.Code c = m.code;
    ByteCode.Label again = new ByteCode.Label(), done = new ByteCode.Label(), after = new ByteCode.Label();
    c.op(CONST_0, STORE_2).bind(again).op(LOAD_0);
    Place test = m.place(true);
    test.bci = c.jump(IFLE, done);
    c.op(LOAD_0, 0x10, 31, AND); // bipush
    Place cases = m.tableSwitch(true, 32, 0, after, null);
    c.bind(after);
    Place call = m.call(true);
    c.op(0x84, 0, 0xff).jump(GOTO, again);
    c.bind(done);
    Twin rest = m.filler(size);
    m.twin = (n, o) -> {
      int r = 0;
      for (; n > 0; n--) {
        test.not++;
        cases.counts[n & 31]++;
        r += n & 31;
        call.receivers.add(o);
      }
      test.taken++;
      return rest.run(r, o);
    };
    return m;
  }

  /** Like a generated parser: one switch with a call in each of its many cases, called once for each rule. */
  private static LongMethods parser(int size) {
    LongMethods m = new LongMethods("Parser" + size);
    ByteCode.Code c = m.code;
    ByteCode.Label after = new ByteCode.Label();
    c.op(CONST_0, STORE_2, LOAD_0);
    List<Place> inside = new ArrayList<>();
    Place cases = m.tableSwitch(true, 180, 1, after, inside);
    c.bind(after);
    Twin rest = m.filler(size);
    m.twin = (n, o) -> {
      cases.counts[n]++;
      inside.get(n).receivers.add(o);
      return rest.run(n % 100, o);
    };
    return m;
  }

  private void run(int rounds) throws Exception {
    byte[] bytes = made.finish();
    var method = new Generated.Loader().define(name, bytes).getMethod("f", int.class, Object.class);
    Object[] objects = {"text", 1L, 'c'};
    for (int i = 0; i < rounds; i++, calls++) {
      int n = i * 7 % 180;
      Object o = objects[i % 16 == 0 ? 1 : i % 100 == 1 ? 2 : 0];
      int got = (Integer) method.invoke(null, n, o);
      if (got != twin.run(n, o)) throw new AssertionError(name + " gives " + got);
    }
  }

  private void expect(Expect e, boolean all) {
    String f = "f(ILjava/lang/Object;)I";
    e.calls(name, f, calls);
    for (Place p : places) {
      if (!p.hot && !all) continue;
      if (p.isCall) {
        e.receiversAt(name, f, p.bci, p.receivers);
      } else if (p.counts == null) {
        e.at(name, f, p.bci, p.taken, p.not);
      } else {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < p.counts.length; k++) {
          if (p.counts[k] > 0) text.append(' ').append(p.targets[k].bci).append(':').append(p.counts[k]);
        }
        e.atSwitch(name, f, p.bci, text.substring(1));
      }
    }
  }

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[0]);
    List<LongMethods> made = new ArrayList<>();
    for (int size = 4000; size < 7950; size += 777) made.add(loop(size));
    for (int size = 5000; size < 7950; size += 900) made.add(parser(size));
    made.add(loop(7700));
    made.add(parser(6700));
    Expect e = new Expect(LongMethods.class);
    for (LongMethods m : made) {
      m.run(rounds);
      m.expect(e, args[1].equals("all"));
    }
    Expect.print();
  }
}
