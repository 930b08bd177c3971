// The list of methods, of classes, or of packages: sorted by any figure, filtered by name, package, or to the program's own code;
// of methods, also to those that an image build would call hot.

import { keepState } from './address.js';
import { bar, missingText } from './cells.js';
import { append, breakable, debounced, element } from './dom.js';
import { count, percent, plural, points, shortCount } from './format.js';

const ROWS = 100;
const COLUMNS = [
  {key: 'self', title: 'Self', what: 'samples in the method'},
  {key: 'total', title: 'Total', what: 'samples in it or below it'},
  {key: 'calls', title: 'Calls', what: 'how often it was called'},
  {key: 'branches', title: 'Branches', what: 'executions of its branches'},
];

// `rows` are methods or groups of them, with an `href`. `list` is the view's name in the address; `one` and `many` name a row.
export function createListView(model, {list, title, one, many, rows}) {
  const hasSamples = model.profiles.some((_, side) => model.total('samples', side) > 0);
  const hasCounts = model.profiles.some((_, side) => model.total('calls', side) + model.total('branches', side) > 0);
  const columns = COLUMNS.filter((column) => (['self', 'total'].includes(column.key) ? hasSamples : hasCounts));
  const initial = {sort: columns[0]?.key ?? 'name', reversed: false, byChange: false, query: '', package: '', own: false, hot: false, rows: ROWS};
  const state = {...initial};
  const packages = [...new Set(rows.map((row) => row.package))].sort();
  const hot = model.profiles[model.newest].hot;
  const canBeHot = list === 'methods' && hot.methods > 0;

  const search = element('input', {type: 'search', id: 'method-search', placeholder: list === 'packages' ? 'Package' : list === 'classes' ? 'Class' : 'Class or method', autocomplete: 'off',
    oninput: debounced(120, () => change({query: search.value.trim().toLowerCase()}))});
  const select = element('select', {id: 'package', onchange: () => change({package: select.value})},
    element('option', {value: ''}, 'All packages'), packages.map((name) => element('option', {value: name}, name)));
  const own = element('button', {type: 'button', 'aria-pressed': 'false', title: 'Everything outside the JDK',
    onclick: () => change({own: !state.own})}, 'My code');
  const hotButton = element('button', {type: 'button', 'aria-pressed': 'false', title: 'What an image build would call hot',
    onclick: () => change({hot: !state.hot})}, 'Hot set');
  const status = element('p', {role: 'status', class: 'dim status'});
  const head = element('tr');
  const body = element('tbody');
  const more = element('button', {type: 'button', onclick: () => { state.rows += ROWS; draw(); }}, 'Show more');

  const changeOf = (method, key) => model.shareOf(method, key, 1) - model.shareOf(method, key, 0);

  function change(what) {
    Object.assign(state, what, {rows: ROWS});
    draw();
  }

  // The state that the address has; without any, the view stays as it was.
  function restore(given) {
    if (Object.keys(given).length > 0) {
      const [sort, ...flags] = (given.sort ?? initial.sort).split('-');
      Object.assign(state, initial, {query: given.q ?? '', package: packages.includes(given.package) ? given.package : '', own: given.own === '1', hot: canBeHot && given.hot === '1',
        sort: [...columns.map((column) => column.key), 'name'].includes(sort) ? sort : initial.sort,
        reversed: flags.includes('reversed'), byChange: model.isDiff && flags.includes('change')});
    }
    search.value = state.query;
    select.value = state.package;
  }

  function keep() {
    const sort = [state.sort, state.byChange ? 'change' : '', state.reversed ? 'reversed' : ''].filter(Boolean).join('-');
    keepState(list, {q: state.query, package: state.package, own: state.own, hot: state.hot, sort: sort === initial.sort ? '' : sort});
  }

  function sortBy(key, byChange) {
    const again = state.sort === key && state.byChange === byChange;
    change({sort: key, byChange, reversed: again && !state.reversed});
  }

  // Names from A to Z, figures the largest first, changes by their size; or the other way round.
  function compare(a, b) {
    if (state.sort === 'name') return a.short.localeCompare(b.short);
    const value = (method) => (state.byChange ? Math.abs(changeOf(method, state.sort)) : method[state.sort][model.newest]);
    return value(b) - value(a);
  }

  function selected() {
    const found = rows.filter((method) => (!state.own || !method.isJdk)
      && (!state.hot || model.isHot(method))
      && (state.package === '' || method.package === state.package)
      && (state.query === '' || method.text.toLowerCase().includes(state.query)));
    return found.sort((a, b) => (state.reversed ? -1 : 1) * compare(a, b) || a.index - b.index);
  }

  function heading(key, title, what, byChange = false) {
    const isSorted = state.sort === key && state.byChange === byChange;
    const rises = (key === 'name') !== state.reversed;
    return element('th', {scope: 'col', class: key === 'name' ? null : 'number',
      'aria-sort': isSorted ? (rises ? 'ascending' : 'descending') : null},
    element('button', {type: 'button', class: 'sort', title: what, 'data-sort': `${key}${byChange}`, onclick: () => {
      sortBy(key, byChange);
      head.querySelector(`[data-sort="${key}${byChange}"]`).focus();  // the heading was drawn again
    }}, title, element('span', {'aria-hidden': 'true', class: 'arrow'}, isSorted ? (rises ? '↑' : '↓') : '\u00a0')));
  }

  function cells(method, column) {
    const value = method[column.key][model.newest];
    const part = model.shareOf(method, column.key);
    const made = [element('td', {class: 'number', title: count(value)},
      value === 0 ? '' : [bar(part), element('span', {class: 'figure'}, percent(part)),
        element('span', {class: 'dim figure'}, shortCount(value))])];
    if (model.isDiff) {
      const moved = changeOf(method, column.key);
      made.push(Math.abs(moved) < 0.00005 ? element('td')
        : element('td', {class: `number ${moved > 0 ? 'more' : 'less'}`}, points(moved)));
    }
    return made;
  }

  function draw() {
    const found = selected();
    own.setAttribute('aria-pressed', String(state.own));
    hotButton.setAttribute('aria-pressed', String(state.hot));
    head.replaceChildren(heading('name', `${one[0].toUpperCase()}${one.slice(1)}`, 'Sort by name'), ...columns.flatMap((column) => [
      heading(column.key, column.title, column.what),
      ...(model.isDiff ? [heading(column.key, ['Δ', element('span', {class: 'hidden'}, ` ${column.title}`)], `change of the share of ${column.what}, in points`, true)] : [])]));
    body.replaceChildren(...found.slice(0, state.rows).map((method) => element('tr', {},
      element('th', {scope: 'row'}, element('a', {href: method.href, title: method.text}, breakable(method.short)),
        list === 'packages' ? '' : element('span', {class: 'dim package'}, method.package)),
      columns.map((column) => cells(method, column)))));
    more.hidden = found.length <= state.rows;
    keep();
    status.textContent = found.length === 0 ? `no ${one} matches` : `${plural(found.length, one, many)}${found.length > state.rows ? `, the first ${count(state.rows)} shown` : ''}`;
  }

  const cut = model.cut;
  const note = cut.methods < cut.all_methods
    ? element('p', {class: 'note'}, `This page has the details of the ${count(cut.methods)} most important of ${plural(cut.all_methods, 'method')}: `
      + `${Object.entries(cut.shares).map(([key, value]) => `${percent(Math.floor(value * 1000) / 1000)} of the ${model.tableOfKey(key)}`).join(', ')}.`) : null;

  return {
    title,
    show(into, given) {
      append(into, element('h1', {}, title), missingText(model));
      if (rows.length === 0) return;
      restore(given);
      append(into,
        element('div', {class: 'toolbar'},
          element('label', {for: 'method-search'}, 'Search'), search,
          list === 'packages' ? '' : [element('label', {for: 'package'}, 'Package'), select], own, canBeHot ? hotButton : '', status),
        canBeHot ? element('p', {class: 'dim'}, `${plural(hot.methods, 'method')} make 99.9 % of the weight, which is calls and branch executions. `
          + 'An image build would call these hot: they are the hot set.') : '',
        element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title},
          element('table', {class: 'methods'}, element('caption', {class: 'hidden'}, `${title} that ran`),
            element('thead', {}, head), body)),
        element('p', {}, more), note);
      draw();
    },
  };
}
