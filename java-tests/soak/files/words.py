class Pair(object):
    def __init__(self, word, times):
        self.word, self.times = word, times

    def __str__(self):
        return "%s %d" % (self.word, self.times)


text = "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill"
counts = {}
for i in range(500):
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
for pair in sorted((Pair(w, t) for w, t in counts.items()), key=lambda p: (-p.times, p.word)):
    print(pair)
try:
    print(1 // 0)
except ZeroDivisionError as broken:
    print(broken)
