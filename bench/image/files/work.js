// What an interpreter of JavaScript works on: strings, regular expressions, objects, closures, a parser and numbers.
// The first argument is the number of rounds. Prints one line with a checksum.
var rounds = Number(arguments[0]);
var text = "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill";

function hash(sum, value) { return (sum * 31 + value) % 1000003; }

function hashOf(string) {
  var sum = 7;
  for (var i = 0; i < string.length; i++) sum = hash(sum, string.charCodeAt(i));
  return sum;
}

function words() {
  var counts = {};
  text.split(" ").forEach(function (word) { counts[word] = (counts[word] || 0) + 1; });
  var sorted = Object.keys(counts).sort(function (a, b) { return counts[b] - counts[a] || (a < b ? -1 : 1); });
  return hashOf(sorted.map(function (word) { return word + counts[word]; }).join());
}

// Sums of products, with parentheses.
function Parser(source) { this.source = source; this.at = 0; }
Parser.prototype.sum = function () {
  var value = this.product();
  while (this.source.charAt(this.at) === "+") { this.at++; value = (value + this.product()) % 1000003; }
  return value;
};
Parser.prototype.product = function () {
  var value = this.factor();
  while (this.source.charAt(this.at) === "*") { this.at++; value = (value * this.factor()) % 1000003; }
  return value;
};
Parser.prototype.factor = function () {
  if (this.source.charAt(this.at) === "(") {
    this.at++;
    var inner = this.sum();
    this.at++;
    return inner;
  }
  var begin = this.at;
  while (/[0-9]/.test(this.source.charAt(this.at))) this.at++;
  return Number(this.source.substring(begin, this.at));
};

function Circle(radius) { this.radius = radius; }
Circle.prototype.area = function () { return 3 * this.radius * this.radius; };
function Box(width, height) { this.width = width; this.height = height; }
Box.prototype.area = function () { return this.width * this.height; };

function shapes(round) {
  var all = [];
  for (var i = 0; i < 60; i++) all.push(i % 7 ? new Box(i, round % 10) : new Circle(i));
  return all.reduce(function (sum, shape) { return hash(sum, shape.area()); }, 1);
}

function sieve() {
  var composite = [], primes = 0;
  for (var n = 2; n < 400; n++) {
    if (composite[n]) continue;
    primes++;
    for (var multiple = n * n; multiple < 400; multiple += n) composite[multiple] = true;
  }
  return primes;
}

function records(round) {
  var kept = JSON.parse(JSON.stringify({ round: round, names: text.split(" "), nested: { on: true, list: [1, 2, 3] } }));
  return kept.names.length + kept.nested.list.length + hashOf(text.replace(/o(\w)/g, "$1o"));
}

var checksum = 1;
for (var round = 0; round < rounds; round++) {
  checksum = hash(checksum, words());
  checksum = hash(checksum, new Parser("1+2*(3+4*(5+" + round + "))*(6+7)+8*9*(10+11)").sum());
  checksum = hash(checksum, shapes(round));
  checksum = hash(checksum, sieve());
  checksum = hash(checksum, records(round));
}
print("RESULT checksum=" + checksum);
