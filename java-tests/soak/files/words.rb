Pair = Struct.new(:word, :times) do
  def to_s
    "#{word} #{times}"
  end
end
text = 'the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill'
counts = Hash.new(0)
500.times { text.split.each { |word| counts[word] += 1 } }
counts.map { |word, times| Pair.new(word, times) }.sort_by { |p| [-p.times, p.word] }.each { |p| puts p }
begin
  puts 1 / 0
rescue ZeroDivisionError => broken
  puts broken.message
end
