// The sandwich of a method: the stacks that lead to it above, and what it calls below. Shares are of the samples that have it
// on their stack.

import { keepState } from './address.js';
import { append, breakable, element } from './dom.js';
import { createFlameGraph } from './flame_graph.js';
import { buildTree, calleesOf, callersOf } from './flame_tree.js';
import { count, plural } from './format.js';

export function createSandwich(model, colors, openMethod) {
  let whole = null;

  return function showSandwich(method, into, given) {
    whole ??= buildTree(model);
    append(into,
      element('p', {class: 'crumbs'}, element('a', {href: `#/method/${method.index}`}, method.short), ' / Sandwich'),
      element('h1', {class: 'break'}, breakable(method.short)));
    const callees = calleesOf(model, whole, method.index);
    const drawnSamples = callees.weight[model.newest];
    if (drawnSamples === 0) {
      append(into, element('p', {class: 'note'}, method.total[model.newest] === 0 ? 'No sample has this method on its stack.'
        : 'The stacks with this method are among the small ones that this page leaves out.'));
      return;
    }
    const detail = element('section', {class: 'card frame-detail', 'aria-label': 'Selected frame'});
    const halves = ['Callers', 'Callees'].map((label, index) => createFlameGraph(model, colors, {
      label, of: 'of its samples', upward: index === 0, openMethod, drawn: keep,
      selected: (node) => detail.replaceChildren(...halves[index].detailOf(node))}));
    function keep() {
      keepState('sandwich', {callers: halves[0].path(), callees: halves[1].path()});
    }
    halves[0].show(callersOf(model, whole, method.index), given.callers);
    halves[1].show(callees, given.callees);
    const left = method.total[model.newest] - drawnSamples;
    append(into,
      element('p', {class: 'dim'}, `${plural(drawnSamples, 'sample')} with this method: callers above it, callees below. Click a frame to zoom.`
        + `${left > 0 ? ` ${count(left)} more are in frames that this page leaves out.` : ''}`),
      halves.map((graph, index) => [element('h2', {}, index === 0 ? 'Callers' : 'Callees'), element('div', {class: 'flame-frame'}, graph.element)]),
      detail);
    for (const graph of halves) graph.draw();
  };
}
