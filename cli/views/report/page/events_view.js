// Allocations and waits for locks: a flame graph of the chosen value, whose innermost frames are classes, and the sums of classes
// and threads. cli/views/report/report_events.h describes the data.

import { percentCell } from './cells.js';
import { append, breakable, element, table } from './dom.js';
import { createFlameView } from './flame_view.js';
import { amount, count, packageOf, percent, plural, share, shortType } from './format.js';
import { chooseColors } from './packages.js';

const NOUNS = {bytes: 'bytes', nanoseconds: 'time'};

// The methods of the events' flame graphs. A method has a page if the profile's own tables or samples have it, too.
function readMethods(rows, model) {
  const pages = new Map(model.methods.map((method) => [method.text, method.index]));
  return rows.map((row, index) => {
    if (row.length === 1) {
      const [name] = row;
      return {index, page: null, isJdk: false, package: '(classes)', short: shortType(name), text: name, readable: `Objects of ${name}`};
    }
    const [declaring, name, text, isJdk] = row;
    return {index, page: pages.get(text) ?? null, isJdk: isJdk === 1, package: packageOf(declaring),
      short: `${shortType(declaring)}.${name}`, text, readable: text};
  });
}

// [[a, b, c] …] of a flat list
function rowsOf(list, size) {
  return Array.from({length: list.length / size}, (_, i) => list.slice(i * size, (i + 1) * size));
}

// A sum of so many samples is right within this share of it in 997 of 1,000 cases.
function errorText(samples) {
  if (!(samples > 0)) return '';
  const error = 3 / Math.sqrt(samples);
  return error > 1 ? '> 100 %' : percent(error, 0);
}

function sumsSection(value, title, one, many, rows, all) {
  const isSampled = value.samples !== undefined;
  const columns = [{title: one, class: 'break'}, {title: 'Share', numeric: true}, {title: many, numeric: true},
    ...(isSampled ? [{title: '±', numeric: true}] : [])];
  return element('section', {}, element('h2', {}, title), table(title, columns,
    rows.map(([name, sum, samples]) => [element('span', {title: name}, name === '' ? '(not known)' : breakable(name)),
      percentCell(share(sum, value.sum)), amount(sum, value.unit), ...(isSampled ? [errorText(samples)] : [])])),
  all > rows.length ? element('p', {class: 'dim'}, `… and ${count(all - rows.length)} more`) : null);
}

export function createEventsView(model, openMethod) {
  const {methods: rows, values} = model.events;
  const methods = readMethods(rows, model);
  const made = new Map();  // flame graphs by value, made when they are first shown
  let current = values[0].value;

  function chooser(chosen) {
    const select = element('select', {id: 'event-value', onchange: () => { location.hash = `#/events?value=${select.value}`; }},
      values.map((value) => element('option', {value: value.value, selected: value === chosen}, `${amount(value.sum, value.unit)} ${value.says}`)));
    return [element('div', {class: 'toolbar'}, element('label', {for: 'event-value'}, 'Show'), select), select];
  }

  function flameOf(value) {
    if (made.has(value.value)) return made.get(value.value);
    const frames = rowsOf(value.flame, 6).map(([depth, method, weight, place, weightThere, united]) => (
      {depth, method, weight: [weight], place, weightThere: [weightThere], frames: united}));
    const [toolbar, select] = chooser(value);
    const part = {sides: 1, newest: 0, isDiff: false, methods, frames, profiles: [],
      cut: {frames: value.frames, all_frames: value.all_frames, undrawn: value.undrawn}, total: () => 0};
    const noun = NOUNS[value.unit] ?? (value.value.startsWith('lock') ? 'waits' : 'objects');
    const view = createFlameView(part, chooseColors(part), (method) => openMethod({index: method.page}), {
      view: 'events', title: 'Allocations and locks', state: {value: value.value},
      words: {all: `All ${noun}`, of: `of the ${noun}`, amount: (weight) => amount(weight, value.unit), title: 'Sum',
        figure: (weight) => amount(weight, value.unit)},
      missing: element('p', {class: 'note'}, 'There was nothing of it while the profile was recorded.'),
      above: [toolbar, value.samples === undefined ? null : element('p', {class: 'dim'},
        `Estimated from ${plural(value.samples, 'sample')}: the sum is right within ${errorText(value.samples)}. What has fewer samples is less sure.`)],
    });
    made.set(value.value, {view, select});
    return made.get(value.value);
  }

  return {
    title: 'Allocations and locks',
    show(into, {value: named, ...state}) {
      current = values.some((value) => value.value === named) ? named : current;
      const value = values.find((each) => each.value === current);
      const {view, select} = flameOf(value);
      select.value = current;
      view.show(into, state);
      append(into, element('div', {class: 'columns'},
        sumsSection(value, 'Classes', 'Class', 'Sum', rowsOf(value.classes, 3), value.all_classes),
        sumsSection(value, 'Threads', 'Thread', 'Sum', rowsOf(value.threads, 3), value.all_threads)));
    },
  };
}
