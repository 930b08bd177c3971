// A small library with types, which the Closure Compiler checks, inlines and shortens. The benchmark makes copies with
// numbered names.

/** @constructor @param {string} name @param {number} price */
function LibraryItem(name, price) {
  /** @private {string} */ this.name_ = name;
  /** @private {number} */ this.price_ = price;
}
/** @return {number} */
LibraryItem.prototype.price = function () { return this.price_; };
/** @return {string} */
LibraryItem.prototype.shown = function () { return this.name_ + ": " + this.price_; };

/** @constructor @extends {LibraryItem} @param {string} name @param {number} price @param {number} share */
function LibraryReduced(name, price, share) {
  LibraryItem.call(this, name, price);
  /** @private {number} */ this.share_ = share;
}
LibraryReduced.prototype = Object.create(LibraryItem.prototype);
/** @override */
LibraryReduced.prototype.price = function () { return Math.round(LibraryItem.prototype.price.call(this) * (1 - this.share_)); };

class LibraryCart {
  constructor() {
    /** @private @const {!Array<!LibraryItem>} */ this.items_ = [];
    /** @private @const {!Map<string, number>} */ this.counts_ = new Map();
  }

  /** @param {!LibraryItem} item @return {!LibraryCart} */
  add(item) {
    this.items_.push(item);
    this.counts_.set(item.shown(), (this.counts_.get(item.shown()) || 0) + 1);
    return this;
  }

  /** @return {number} */
  total() { return this.items_.reduce((sum, item) => sum + item.price(), 0); }

  /** @return {string} */
  shown() {
    const lines = [];
    for (const [shown, count] of this.counts_) lines.push(`${count} x ${shown}`);
    return lines.sort().join("\n") + "\n" + this.total();
  }
}

/** @param {string} text @return {!Array<string>} */
function libraryWords(text) {
  const found = [];
  let word = "";
  for (const letter of text) {
    switch (letter) {
      case " ": case ",": case ".":
        if (word) found.push(word);
        word = "";
        break;
      default:
        word += letter;
    }
  }
  return word ? [...found, word] : found;
}

/** @param {number} limit @return {number} */
function libraryPrimes(limit) {
  const composite = [];
  let count = 0;
  for (let n = 2; n < limit; n++) {
    if (composite[n]) continue;
    count++;
    for (let multiple = n * n; multiple < limit; multiple += n) composite[multiple] = true;
  }
  return count;
}

(function () {
  const cart = new LibraryCart();
  const names = libraryWords("bread, butter, cheese and some wine.");
  names.forEach((name, at) => cart.add(at % 2 ? new LibraryItem(name, at * 3) : new LibraryReduced(name, at * 5, 0.2)));
  try {
    if (libraryPrimes(names.length * 20) < 3) throw new Error("too few");
    console.log(cart.shown());
  } catch (problem) {
    console.log(problem.message);
  } finally {
    window["library"] = { "cart": cart, "shown": () => cart.shown() };
  }
})();
