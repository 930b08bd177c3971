package overhead;

import groovy.lang.Binding;
import groovy.lang.GroovyShell;
import groovy.lang.Script;
import java.util.ArrayList;
import java.util.List;

/** Groovy: scripts with closures, collections, text and dynamic calls, compiled once and run again and again. */
final class Groovy implements Workload {
  private static final String[] SCRIPTS = {
    // Collections and closures.
    "def orders = (1..300).collect { [number: it, customer: \"c${it % 17}\", total: it * 37 % 101] }\n"
        + "def byCustomer = orders.groupBy { it.customer }\n"
        + "byCustomer.collect { name, list -> list.sum { it.total } + list.count { it.total > 50 } + name.length() }.sum()\n",
    // A class with properties and overloaded operators, called dynamically.
    "class Vector { int x, y\n  Vector plus(Vector o) { new Vector(x: x + o.x, y: y + o.y) }\n"
        + "  int multiply(Vector o) { x * o.x + y * o.y } }\n"
        + "def sum = new Vector(x: 0, y: 0)\n"
        + "for (i in 0..<400) { sum = sum + new Vector(x: i, y: i % 7) }\n"
        + "sum * new Vector(x: 1, y: 2)\n",
    // Text.
    "def text = (1..120).collect { \"line $it has ${it % 5} words\" }.join('\\n')\n"
        + "def counts = [:].withDefault { 0 }\n"
        + "text.eachLine { line -> line.split(' ').each { counts[it] += 1 } }\n"
        + "counts.findAll { k, v -> v > 3 }.sort { a, b -> a.key <=> b.key }.inject(0) { s, e -> s * 31 + e.value } as int\n",
    // Arithmetic and control flow without types.
    "def collatz(n) { def steps = 0; while (n != 1) { n = n % 2 == 0 ? n.intdiv(2) : 3 * n + 1; steps++ }; steps }\n"
        + "def longest = 0\n"
        + "for (n in 1..150) { longest = Math.max(longest, collatz(n)) }\n"
        + "longest\n",
  };

  private final List<Script> scripts = new ArrayList<>();

  Groovy() {
    for (String script : SCRIPTS) scripts.add(new GroovyShell(new Binding()).parse(script));
  }

  @Override
  public long run() {
    long sum = 0;
    for (Script script : scripts) sum = 31 * sum + ((Number) script.run()).longValue();
    return sum;
  }
}
