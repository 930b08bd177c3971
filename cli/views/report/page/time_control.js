// Two lists in the head of the page: from when to when samples are shown. Samples know in which period of the recording they were
// taken, so both offer the seconds in which periods begin. What is chosen holds for every view.

import { element } from './dom.js';

const seconds = (value) => `${value.toLocaleString('en-US')} s`;

// "seconds 4 to 16 of the recording"; `time` is [from, to), numbers in `begins`, whose last element is the end, or 0 for none.
export function duringText(begins, [from, to]) {
  const end = begins[to];
  const first = begins[from].toLocaleString('en-US');
  return end === 0 ? `the recording from second ${first} on` : `seconds ${first} to ${end.toLocaleString('en-US')} of the recording`;
}

// The address's texts as [from, to), or null if that is all or nothing.
export function timeOf(begins, from, to) {
  const last = begins.length - 1;
  const first = from === '' ? 0 : begins.indexOf(Number(from));
  const end = to === '' ? last : begins.indexOf(Number(to));
  if (first < 0 || end <= first || (first === 0 && end === last)) return null;
  return [first, end];
}

// `chosen(from, to)` is called with seconds as texts; '' stands for the beginning and the end.
export function createTimeControl(begins, chosen) {
  const last = begins.length - 1;
  const options = (numbers, all) => [element('option', {value: ''}, all),
    ...numbers.map((number) => element('option', {value: String(begins[number])}, seconds(begins[number])))];
  const inner = begins.map((_, number) => number).slice(1, last);
  const from = element('select', {id: 'from', onchange: () => use(from)}, options(inner, 'start'));
  const to = element('select', {id: 'to', onchange: () => use(to)}, options(inner, 'end'));

  // The list that was not changed gives way.
  function use(changed) {
    if (from.value !== '' && to.value !== '' && Number(from.value) >= Number(to.value)) (changed === from ? to : from).value = '';
    chosen(from.value, to.value);
  }
  return {
    elements: [element('span', {class: 'choice'},
      element('label', {for: 'from', class: 'dim'}, 'Samples from'), from, element('label', {for: 'to', class: 'dim'}, 'to'), to)],
    choose(first, end) { from.value = first; to.value = end; },
  };
}
