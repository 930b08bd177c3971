// A flame graph with what belongs to it: upright or turned over, with a search and a legend of colours.

import { keepState } from './address.js';
import { missingText } from './cells.js';
import { append, debounced, element } from './dom.js';
import { createFlameGraph, SAMPLES } from './flame_graph.js';
import { buildTree, invertTree, matchedWeight } from './flame_tree.js';
import { count, percent, plural, share } from './format.js';

const LEGEND = 20;  // packages whose colours are named at once

// `view` is the view's name in the address, whose further state is `state`; `above` stands between title and graph.
export function createFlameView(model, colors, openMethod, {view = 'flame', title = 'Flame graph', words = SAMPLES, state = {}, above = [], missing = missingText(model)} = {}) {
  const upright = buildTree(model);
  let inverted = null;
  let isInverted = false;
  let side = model.newest;
  let query = '';

  const status = element('p', {role: 'status', class: 'dim status'});
  const detail = element('section', {class: 'card frame-detail', 'aria-label': 'Selected frame'});
  const search = element('input', {type: 'search', id: 'frame-search', placeholder: 'Class or method', autocomplete: 'off',
    oninput: debounced(120, () => setQuery(search.value)), onkeydown: (event) => { if (event.key === 'Enter') toFirstMatch(); }});
  const invertButton = element('button', {type: 'button', 'aria-pressed': 'false', onclick: () => { turn(!isInverted); redraw(); }}, 'Inverted');
  const resetButton = element('button', {type: 'button', onclick: () => graph.zoom(graph.root())}, 'Reset zoom');
  const sideButton = model.isDiff
    ? element('button', {type: 'button', 'aria-pressed': 'false', onclick: () => { useSide(1 - side); redraw(); }}, 'Widths of the old profile') : null;
  const graph = createFlameGraph(model, colors, {
    label: `Flame graph ${words.of}`, words, openMethod,
    selected: (node) => detail.replaceChildren(...graph.detailOf(node)),
    drawn: () => {
      resetButton.disabled = !graph.isZoomed();
      keepState(view, {...state, q: query, inverted: isInverted, old: side !== model.newest, zoom: graph.path()});
    },
  });
  graph.show(upright);

  function turn(over, path) {
    if (over) inverted ??= invertTree(model, upright);
    isInverted = over;
    invertButton.setAttribute('aria-pressed', String(over));
    graph.show(over ? inverted : upright, path);
  }

  function useSide(which) {
    side = which;
    graph.useSide(which);
    sideButton?.setAttribute('aria-pressed', String(which !== model.newest));
  }

  function redraw() {
    graph.draw();
    status.replaceChildren(query === '' ? ''
      : `${percent(share(matchedWeight(graph.root(), graph.matches, side), graph.root().weight[side]))} ${words.of} have “${query}” on their stack.`);
  }

  function useQuery(text) {
    query = text.trim().toLowerCase();
    graph.search(query);
  }

  function setQuery(text) {
    useQuery(text);
    redraw();
  }

  function toFirstMatch() {
    setQuery(search.value);
    graph.focusFirstMatch();
  }

  // The state that the address has; without any, the view stays as it was.
  function restore(given) {
    if (Object.keys(given).length === 0) return;
    useQuery(given.q ?? '');
    search.value = query;
    useSide(given.old === '1' && model.isDiff ? 0 : model.newest);
    turn(given.inverted === '1', given.zoom);
  }

  const legendItem = ({name, color}) => element('li', {}, element('span', {class: `swatch ${color.tone}`, style: {'--hue': color.hue}}), name);
  const legend = model.isDiff
    ? element('ul', {class: 'legend', 'aria-label': 'Colours'},
      [['grew-3', 'much more'], ['grew-1', 'more'], ['same', 'as before'], ['shrank-1', 'less'], ['shrank-3', 'much less']]
        .map(([kind, text]) => element('li', {}, element('span', {class: `swatch ${kind}`}), text)))
    : element('ul', {class: 'legend', 'aria-label': 'Colours of packages'},
      colors.groups.slice(0, LEGEND).map(legendItem));
  const moreColors = model.isDiff || colors.groups.length <= LEGEND ? null
    : element('details', {class: 'dim'}, element('summary', {}, `${plural(colors.groups.length - LEGEND, 'more package')}`),
      element('ul', {class: 'legend', 'aria-label': 'Colours of more packages'}, colors.groups.slice(LEGEND).map(legendItem)));
  const cut = model.cut;
  const note = cut.frames < cut.all_frames
    ? element('p', {class: 'note'}, `Drawn are the ${count(cut.frames)} largest of ${plural(cut.all_frames, 'frame')}; `
      + `${percent(cut.undrawn)} ${words.of} end in smaller ones.`) : null;

  return {
    title,
    show(into, given) {
      if (upright.weight.every((value) => value === 0)) {
        append(into, element('h1', {}, title), above, missing);
        return;
      }
      restore(given);
      append(into,
        element('h1', {}, title), above,
        element('div', {class: 'toolbar'},
          element('label', {for: 'frame-search'}, 'Search'), search, invertButton, resetButton, sideButton, status),
        element('div', {class: 'flame-frame'}, graph.element),
        legend, moreColors, detail, note,
        element('p', {class: 'dim'}, `Width is the share ${words.of}. Enter zooms in, Escape out; arrows move; “o” opens the method.`));
      redraw();
    },
  };
}
