// Cells of tables that several views have.

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
