// What several views have: cells of tables, and a note.

import { element } from './dom.js';
import { percent } from './format.js';

// A bar that shows a share of what is the most.
export function bar(value) {
  return element('span', {class: 'bar', style: {'--share': String(Math.max(0, Math.min(1, value)))}});
}

// Nothing for nothing, so that the eye finds the figures.
export function percentCell(value) {
  return value === 0 ? '' : [bar(value), element('span', {class: 'figure'}, percent(value))];
}

// What the profile lacks, as a sentence: without it, empty tables would look like a program that did nothing.
export function missingText(model) {
  const hasAny = (...tables) => tables.some((name) => model.profiles.some((_, side) => model.total(name, side) > 0));
  const missing = [hasAny('calls', 'branches', 'receivers') ? '' : 'counts', hasAny('samples') ? '' : 'samples'].filter(Boolean);
  if (missing.length === 0) return null;
  if (model.isPart && missing.at(-1) === 'samples') return element('p', {class: 'note'}, 'There are no samples of this thread in this time.');
  return element('p', {class: 'note'}, `This profile has no ${missing.join(' and no ')}. `
    + (missing.length === 2 ? 'Nothing ran while it was recorded, or a filter left out everything.'
      : missing[0] === 'counts' ? 'A profile that is recorded with calls=y and branches=y has.' : 'A profile that is recorded with samples=y has.'));
}
