// Counts words and sorts them: for an interpreter that compiles to bytecode, and for a JavaScript compiler.
var text = "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill";
var counts = {};
for (var round = 0; round < 2000; round++) {
  text.split(" ").forEach(function (word) { counts[word] = (counts[word] || 0) + 1; });
}
function Pair(word, count) { this.word = word; this.count = count; }
Pair.prototype.shown = function () { return this.word + " " + this.count; };
var pairs = Object.keys(counts).map(function (word) { return new Pair(word, counts[word]); });
pairs.sort(function (a, b) { return b.count - a.count || (a.word < b.word ? -1 : 1); });
pairs.forEach(function (pair) { print(pair.shown()); });
