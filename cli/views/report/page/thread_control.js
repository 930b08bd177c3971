// The list of threads in the head of the page. What is chosen holds for every view.

import { element } from './dom.js';
import { percent, share } from './format.js';

// `threads` are [name, samples, …]. `chosen(name)` is called with '' for all.
export function createThreadControl(threads, chosen) {
  const sum = threads.reduce((all, [, samples]) => all + samples, 0);
  const select = element('select', {id: 'thread', onchange: () => chosen(select.value)},
    element('option', {value: ''}, 'All threads'),
    threads.map(([name, samples]) => element('option', {value: name}, `${name} (${percent(share(samples, sum))})`)));
  return {
    elements: [element('span', {class: 'choice'}, element('label', {for: 'thread', class: 'dim'}, 'Thread'), select)],
    choose(name) { select.value = name; },
  };
}
