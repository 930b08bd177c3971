let $text := "the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs over the hill"
return <words>{
  for $word in tokenize(string-join(for $i in 1 to 300 return $text, " "), " ")
  group by $name := $word
  order by count($word) descending, $name
  return <word name="{$name}">{count($word)}</word>
}</words>
