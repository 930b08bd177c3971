// What an interpreter of JavaScript works on: strings, regular expressions, objects, closures and numbers.
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
  return hashOf(sorted.map(function (word) { return word + counts[word]; }).join().replace(/o(\w)/g, "$1o"));
}

function Circle(radius) { this.radius = radius; }
Circle.prototype.area = function () { return 3 * this.radius * this.radius; };
function Box(width, height) { this.width = width; this.height = height; }
Box.prototype.area = function () { return this.width * this.height; };

function shapes(round) {
  var all = [];
  for (var i = 0; i < 60; i++) all.push(i % 7 ? new Box(i, round % 10) : new Circle(i));
  return all.reduce(function (sum, shape) { return hash(sum, shape.area()); }, 1);
}

var checksum = 1;
for (var round = 0; round < rounds; round++) checksum = [words(), shapes(round)].reduce(hash, checksum);
print("RESULT checksum=" + checksum);
