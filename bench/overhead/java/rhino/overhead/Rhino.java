package overhead;

import org.mozilla.javascript.Context;
import org.mozilla.javascript.Script;
import org.mozilla.javascript.Scriptable;

/** Rhino: JavaScript in one large interpreter loop, with its objects, strings, arrays and regular expressions. */
final class Rhino implements Workload {
  private static final String SCRIPT = """
      function Word(text) { this.text = text; this.times = 0; }
      Word.prototype.meet = function () { return ++this.times; };
      var seed = 19, words = {}, names = [], sum = 0;
      function next(limit) { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % limit; }
      for (var i = 0; i < 3000; i++) {
        var name = 'w' + next(97) + (next(3) ? 'x' : 'yz');
        if (!words[name]) { words[name] = new Word(name); names.push(name); }
        sum += words[name].meet();
      }
      names.sort(function (a, b) { return words[b].times - words[a].times || (a < b ? -1 : 1); });
      names.forEach(function (name, place) { if (/^w[1-5]\\d?x/.test(name)) sum += place * words[name].times; });
      var text = names.map(function (name) { return name.toUpperCase() + '=' + words[name].times; }).join(';');
      for (var at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) % 1000003;
      function tree(depth) { return depth == 0 ? { value: next(10) } : { left: tree(depth - 1), right: tree(depth - 1) }; }
      function add(node) { return node.left ? add(node.left) + add(node.right) : node.value; }
      sum + add(tree(9));
      """;

  private final Context context = Context.enter();
  private final Script script;

  Rhino() {
    context.setOptimizationLevel(-1); // interprets
    script = context.compileString(SCRIPT, "words.js", 1, null);
  }

  @Override
  public long run() {
    Scriptable scope = context.initStandardObjects();
    return ((Number) script.exec(context, scope)).longValue();
  }
}
