class Pair {
    String word
    int times
    String toString() { "$word $times" }
}
def text = 'the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill'
def counts = [:].withDefault { 0 }
500.times { text.split(' ').each { counts[it] += 1 } }
counts.collect { word, times -> new Pair(word: word, times: times) }.sort { a, b -> b.times <=> a.times ?: a.word <=> b.word }.each { println it }
try { println 1.intdiv(0) } catch (ArithmeticException broken) { println broken.message }
