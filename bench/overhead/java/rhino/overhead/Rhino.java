package overhead;

import org.mozilla.javascript.Context;
import org.mozilla.javascript.Script;
import org.mozilla.javascript.Scriptable;

/** Rhino's interpreter: words are made, counted in objects, sorted, searched by regular expressions and written as JSON. */
final class Rhino implements Workload {
  private static final String SCRIPT = """
      function Word(text) { this.text = text; this.count = 0; }
      Word.prototype.met = function () { this.count++; return this; };
      var seed = 17;
      function next(below) { seed = (seed * 16807) % 2147483647; return seed % below; }
      function make() {
        var text = '';
        for (var i = 1 + next(5); i > 0; i--) text += String.fromCharCode(97 + next(12));
        return text;
      }
      var words = {}, list = [], found = 0;
      for (var n = 0; n < 4000; n++) {
        var text = make();
        if (!words.hasOwnProperty(text)) list.push(words[text] = new Word(text));
        words[text].met();
      }
      list.sort(function (a, b) { return b.count - a.count || (a.text < b.text ? -1 : 1); });
      for (var i = 0; i < list.length; i++) {
        if (/^a|b+c?$/.test(list[i].text)) found += list[i].count;
        switch (list[i].count % 4) { case 0: found += 2; break; case 1: found++; break; default: found -= list[i].text.length; }
      }
      try { list[-1].met(); } catch (problem) { found += problem.message.length; }
      var written = JSON.stringify(list.slice(0, 200));
      found + JSON.parse(written).length + written.length;
      """;

  private final Context context = Context.enter();
  private final Script script;

  Rhino() {
    context.setOptimizationLevel(-1);
    context.setLanguageVersion(Context.VERSION_ES6);
    script = context.compileString(SCRIPT, "words.js", 1, null);
  }

  @Override
  public long run() {
    Scriptable scope = context.initStandardObjects();
    return ((Number) script.exec(context, scope)).longValue();
  }
}
