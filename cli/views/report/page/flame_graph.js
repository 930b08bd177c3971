// A drawn tree of frames. Only frames that are wide enough to see are elements, and only those of the zoomed part.
//
// Keys: down and up go to the heaviest child and to the parent (in a graph that grows upwards, the other way), left and right
// to the neighbours, Enter zooms, Escape zooms out, "o" opens the method's page.

import { debounced, element } from './dom.js';
import { count, percent, plural, points, share } from './format.js';
import { placeText } from './model.js';

const ROW_PIXELS = 21;
const LEAST_PIXELS = 1.5;
const LEAST_LABEL_PIXELS = 34;

// How a frame's share changed, from shrank-3 to grew-3.
function changeClass(before, after) {
  const larger = Math.max(before, after);
  const change = larger > 0 ? (after - before) / larger : 0;
  const step = Math.abs(change) < 0.05 ? 0 : Math.abs(change) < 0.25 ? 1 : Math.abs(change) < 0.6 ? 2 : 3;
  return step === 0 ? 'same' : `${change > 0 ? 'grew' : 'shrank'}-${step}`;
}

// What widths are of, in words: `all` and `of` the whole, `amount` of a weight, `title` of a fact, and `figure` of its value.
export const SAMPLES = {all: 'All samples', of: 'of the samples', amount: (weight) => plural(weight, 'sample'), title: 'Samples', figure: count};

// `of` says what shares are of, if it is not `words`. `selected(node)` is called when a frame is selected, `drawn()` when the graph was drawn again.
export function createFlameGraph(model, colors, {label, words = SAMPLES, of = words.of, upward = false, openMethod, selected: onSelected, drawn: onDrawn}) {
  let root = null;
  let zoomed = null;
  let selected = null;
  let side = model.newest;
  let query = '';
  let drawnWidth = 0;
  let elements = new Map();

  const methodOf = (node) => (node.method !== null && node.method >= 0 ? model.methods[node.method] : null);
  const shareOn = (node, which) => share(node.weight[which], root.weight[which]);
  const nameOf = (node) => {
    if (node.method === null) return words.all;
    return methodOf(node)?.short ?? plural(node.frames, 'small frame');
  };
  const matches = (node) => query !== '' && (methodOf(node)?.text.toLowerCase().includes(query) ?? false);
  const graph = element('div', {class: 'flame', role: 'tree', 'aria-label': label, onkeydown: onKey});
  const tip = document.getElementById('tip');

  function describe(node) {
    const parts = [nameOf(node), `${percent(shareOn(node, side))} ${of}`];
    if (model.isDiff) parts.push(`${points(shareOn(node, 1) - shareOn(node, 0))} points`);
    parts.push(words.amount(node.weight[side]));
    if (methodOf(node) && node.weightThere[side] > 0) parts.push(`mostly ${placeText(node.place)}`);
    return parts.join(', ');
  }

  function draw() {
    const width = graph.clientWidth || 1000;
    const hadFocus = graph.contains(document.activeElement);
    drawnWidth = width;
    const below = [];
    elements = new Map();
    let deepest = 0;
    const place = (node, depth, left, size) => {
      deepest = Math.max(deepest, depth);
      const made = frameElement(node, depth, left, size, width);
      elements.set(node, made);
      below.push([made, depth]);
    };
    const ancestors = [];
    for (let at = zoomed.parent; at; at = at.parent) ancestors.unshift(at);
    ancestors.forEach((node, depth) => place(node, depth, 0, 1));
    const whole = zoomed.weight[side];
    const visit = (node, depth, left) => {
      const size = whole > 0 ? node.weight[side] / whole : 0;
      if (size * width < LEAST_PIXELS) return;
      place(node, depth, left, size);
      let at = left;
      for (const child of node.children) {
        visit(child, depth + 1, at);
        at += whole > 0 ? child.weight[side] / whole : 0;
      }
    };
    if (whole > 0) visit(zoomed, ancestors.length, 0);
    graph.style.setProperty('height', `${(deepest + 1) * ROW_PIXELS}px`);
    for (const [made, depth] of below) made.style.setProperty('top', `${(upward ? deepest - depth : depth) * ROW_PIXELS}px`);
    graph.replaceChildren(...below.map(([made]) => made));
    if (!elements.has(selected)) selected = zoomed;
    mark(selected);
    if (hadFocus) elements.get(selected)?.focus();
    onDrawn();
  }

  function frameElement(node, depth, left, size, width) {
    const method = methodOf(node);
    const color = method === null || model.isDiff ? null : colors.colorOf(method);
    const kind = method === null ? (node.method === null ? 'whole' : 'rest')
      : model.isDiff ? changeClass(shareOn(node, 0), shareOn(node, 1)) : color?.tone ?? 'rest';
    const found = query === '' || method === null ? '' : matches(node) ? ' found' : ' not-found';
    const above = node !== zoomed && depth < depthOf(zoomed) ? ' above' : '';
    return element('div', {
      class: `frame ${kind}${found}${above}`, role: 'treeitem', 'aria-level': String(depth + 1), tabindex: '-1',
      'aria-label': describe(node), 'aria-selected': 'false',
      style: {left: `${left * 100}%`, width: `${size * 100}%`, ...(color ? {'--hue': color.hue} : {})},
      onclick: () => { select(node); zoom(node); },
      onpointermove: (event) => showTip(event, node),
      onpointerleave: () => { tip.hidden = true; },
    }, size * width >= LEAST_LABEL_PIXELS ? nameOf(node) : '');
  }

  function depthOf(node) {
    let depth = 0;
    for (let at = node.parent; at; at = at.parent) ++depth;
    return depth;
  }

  function showTip(event, node) {
    if (event.pointerType === 'touch') return;
    const method = methodOf(node);
    tip.replaceChildren(
      element('strong', {}, nameOf(node)),
      ...(method ? [element('div', {class: 'dim'}, method.package)] : []),
      element('div', {}, `${percent(shareOn(node, side), 2)} · ${words.amount(node.weight[side])}`),
      ...(method && node.weightThere[side] > 0
        ? [element('div', {}, `${placeText(node.place)} · ${percent(share(node.weightThere[side], node.weight[side]), 0)} of it`)] : []),
      ...(model.isDiff ? [element('div', {}, `${percent(shareOn(node, 0), 2)} before · ${points(shareOn(node, 1) - shareOn(node, 0))} points`)] : []));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, window.innerWidth - box.width - 8);
    const y = event.clientY + 18 + box.height > window.innerHeight ? event.clientY - box.height - 10 : event.clientY + 18;
    tip.style.setProperty('left', `${Math.max(8, x)}px`);
    tip.style.setProperty('top', `${y}px`);
  }

  function mark(node) {
    for (const made of graph.querySelectorAll('[tabindex="0"]')) {
      made.setAttribute('tabindex', '-1');
      made.setAttribute('aria-selected', 'false');
    }
    const made = elements.get(node);
    made?.setAttribute('tabindex', '0');
    made?.setAttribute('aria-selected', 'true');
    onSelected(node);
  }

  function select(node) {
    selected = node;
    mark(node);
  }

  // Facts about a frame, for a card beside the graph.
  function detailOf(node) {
    const method = methodOf(node);
    const hasPage = method !== null && method.page !== null;
    const fact = (name, value) => element('div', {class: 'fact'}, element('dt', {}, name), element('dd', {}, value));
    return [
      element('h2', {}, hasPage ? element('a', {href: `#/method/${method.page}`}, method.short) : nameOf(node)),
      element('p', {class: `dim break${method ? ' signature' : ''}`}, method ? method.readable : node.method === null ? 'Every stack goes through here.'
        : 'Frames that are too small to draw are one.'),
      ...(hasPage ? [element('p', {}, element('a', {href: `#/sandwich/${method.page}`}, 'Callers and callees as flame graphs'))] : []),
      element('dl', {class: 'facts'},
        fact('Share', percent(shareOn(node, side), 2)),
        ...(model.isDiff ? [fact('Before', percent(shareOn(node, 0), 2)),
          fact('Change', `${points(shareOn(node, 1) - shareOn(node, 0))} points`)] : []),
        fact(words.title, words.figure(node.weight[side])),
        upward ? null : fact('In itself', percent(share(node.self[side], root.weight[side]), 2)),
        ...(method && node.weightThere[side] > 0
          ? [fact('Mostly at', `${placeText(node.place)} (${percent(share(node.weightThere[side], node.weight[side]), 0)})`)] : []))];
  }

  // The methods from the root to a frame, and back.
  function pathOf(node) {
    const path = [];
    for (let at = node; at.parent; at = at.parent) path.unshift(at.method);
    return path.join('.');
  }
  function nodeAt(path) {
    return path.split('.').reduce((at, method) => at?.children.find((child) => String(child.method) === method), root) ?? root;
  }

  function zoom(node) {
    if (node.method !== null && node.method < 0) return;
    zoomed = node;
    selected = node;
    draw();
  }

  // Another tree, with the frame at `path` zoomed, without drawing it yet.
  function show(tree, path = '') {
    root = tree;
    zoomed = nodeAt(path);
    selected = zoomed;
  }

  function focusFirstMatch() {
    for (const node of elements.keys()) {
      if (!matches(node)) continue;
      select(node);
      elements.get(node).focus();
      return;
    }
  }

  function onKey(event) {
    const siblings = selected.parent?.children.filter((node) => elements.has(node)) ?? [];
    const at = siblings.indexOf(selected);
    const moves = {
      [upward ? 'ArrowUp' : 'ArrowDown']: () => selected.children.find((node) => elements.has(node)),
      [upward ? 'ArrowDown' : 'ArrowUp']: () => selected.parent,
      ArrowRight: () => siblings[at + 1],
      ArrowLeft: () => siblings[at - 1],
      Home: () => root,
    };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in moves) {
      const next = moves[event.key]();
      if (next && elements.has(next)) {
        select(next);
        elements.get(next).focus();
      }
    } else if (event.key === 'Enter' || event.key === ' ') {
      zoom(selected);
    } else if (event.key === 'Escape') {
      zoom(zoomed.parent ?? root);
    } else if (event.key === 'o' && (methodOf(selected)?.page ?? null) !== null) {
      openMethod(methodOf(selected));
    } else {
      return;
    }
    event.preventDefault();
  }

  new ResizeObserver(debounced(60, () => { if (graph.isConnected && graph.clientWidth !== drawnWidth) draw(); })).observe(graph);
  return {
    element: graph, draw, zoom, show, detailOf, matches, focusFirstMatch,
    root: () => root,
    isZoomed: () => zoomed !== root,
    path: () => pathOf(zoomed),
    search: (text) => { query = text; },
    useSide: (which) => { side = which; },
  };
}
