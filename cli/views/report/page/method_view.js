// The page of one method: its figures, bytecode and source with counts, its branches, call sites and type checks, and its
// callers and callees.

import { keepState } from './address.js';
import { percentCell } from './cells.js';
import { append, breakable, element, table } from './dom.js';
import { count, percent, points, share, shortCount, shortType } from './format.js';
import { groupHref } from './groups.js';
import { createListing } from './listing.js';

export function showMethod(model, method, into, state) {
  const newest = model.newest;
  const link = (index) => {
    const other = model.methods[index];
    return element('a', {href: `#/method/${index}`, title: other.text}, breakable(other.short));
  };
  const figure = (title, measure) => {
    const value = method[measure][newest];
    return element('div', {class: 'fact'}, element('dt', {}, title),
      element('dd', {title: count(value)}, shortCount(value),
        element('span', {class: 'dim'}, ` ${percent(model.shareOf(method, measure))}`),
        model.isDiff ? element('span', {class: 'dim'},
          ` (${points(model.shareOf(method, measure) - model.shareOf(method, measure, 0))})`) : ''));
  };
  const place = (site) => (site.line > 0 ? `line ${site.line}` : '');

  append(into,
    element('p', {class: 'crumbs'}, element('a', {href: '#/methods'}, 'Methods'), ' / ',
      element('a', {href: groupHref('package', method.package)}, method.package), ' / ',
      element('a', {href: groupHref('class', method.declaring)}, method.className)),
    element('h1', {class: 'break'}, breakable(method.short)),
    element('p', {class: 'dim break signature'}, method.readable),
    method.total[newest] > 0 ? element('p', {}, element('a', {href: `#/sandwich/${method.index}`}, 'Callers and callees as flame graphs')) : '',
    element('dl', {class: 'facts card'},
      figure('Calls', 'calls'), figure('Samples in it', 'self'), figure('In it or below', 'total'),
      figure('Branch executions', 'branches'), figure('Calls with receivers', 'receivers'),
      method.sureness ? element('div', {class: 'fact'}, element('dt', {}, 'Counts are'), element('dd', {}, method.sureness)) : ''));

  if (!method.hasDetails) {
    into.append(element('p', {class: 'note'}, 'This page has only the sums of this method: it is one of the less important ones, and the file is limited in size.'));
    return;
  }
  if (method.code) {
    append(into, element('h2', {}, method.code.source.length > 0 ? 'Source and bytecode' : 'Bytecode'),
      createListing(model, method, state.show, (show) => keepState('method', {show: show === 'both' ? '' : show})));
  } else {
    into.append(element('p', {class: 'note'}, model.cut.asked_for_code
      ? 'The class file of this method was not found, or its bytecode did not fit into this page.'
      : 'With --classes and --sources, this page also shows bytecode and source.'));
  }

  const outcomeShare = (site, outcome, side) => share(outcome.count[side], site.total[side]);
  const sites = (kind) => method.sites.filter((site) => site.table === kind);
  const before = model.isDiff ? [{title: 'Before', numeric: true}] : [];
  const outcomeRows = (site, name) => site.outcomes.map((outcome, index) => [
    index === 0 ? String(site.bci) : '', index === 0 ? place(site) : '', name(site, outcome),
    percentCell(outcomeShare(site, outcome, newest)),
    ...(model.isDiff ? [percent(outcomeShare(site, outcome, 0))] : []),
    element('span', {title: count(outcome.count[newest])}, shortCount(outcome.count[newest])),
  ]).concat(site.hidden > 0 ? [['', '', element('span', {class: 'dim'}, `… ${count(site.hidden)} more`),
    percentCell(share(site.total[newest] - site.outcomes.reduce((sum, outcome) => sum + outcome.count[newest], 0), site.total[newest])),
    ...(model.isDiff ? [''] : []), '']] : []);
  const section = (title, kind, what, name) => {
    const found = sites(kind);
    if (found.length === 0) return;
    into.append(element('h2', {}, title), table(title, [
      {title: 'bci', numeric: true}, {title: 'Place'}, {title: what, class: 'break'}, {title: 'Share', numeric: true, class: 'number'},
      ...before, {title: 'Count', numeric: true}], found.flatMap((site) => outcomeRows(site, name))));
  };
  const typeName = (_, outcome) => element('span', {title: outcome.type}, shortType(outcome.type));
  section('Branches', 'branches', 'Goes to', (site, outcome) => (outcome.key < 0 ? 'elsewhere'
    : `bci ${outcome.key}${branchHint(method, site, outcome)}`));
  section('Receivers', 'receivers', 'Class', (site, outcome) => [typeName(site, outcome), calleeHint(method, site)]);
  section('Type checks', 'type checks', 'Class', typeName);

  const positions = method.positions.filter((position) => position.total[newest] > 0);
  if (positions.length > 0) {
    const whole = model.total('samples');
    positions.sort((a, b) => b.total[newest] - a.total[newest]);
    into.append(element('h2', {}, 'Samples'), table('Samples', [
      {title: 'bci', numeric: true}, {title: 'Place'}, {title: 'In it', numeric: true}, {title: 'In it or below', numeric: true},
      {title: 'Samples', numeric: true}],
    positions.slice(0, 20).map((position) => [String(position.bci), place(position), percentCell(share(position.self[newest], whole)),
      percentCell(share(position.total[newest], whole)), count(position.total[newest])])));
  }

  const edges = (title, list) => {
    const shown = list.filter((edge) => edge.samples[newest] > 0 || edge.calls[newest] > 0);
    if (shown.length === 0) return;
    into.append(element('h2', {}, title), table(title, [
      {title: 'Method', class: 'break'}, {title: 'Share of samples', numeric: true}, {title: 'Samples', numeric: true},
      {title: 'Calls', numeric: true}],
    shown.map((edge) => [link(edge.other), percentCell(share(edge.samples[newest], model.total('samples'))),
      edge.samples[newest] === 0 ? '' : count(edge.samples[newest]),
      edge.calls[newest] === 0 ? '' : element('span', {title: count(edge.calls[newest])}, shortCount(edge.calls[newest]))])));
    if (list.length >= model.mostEdges)
      into.append(element('p', {class: 'dim'}, `The ${model.mostEdges} with the most samples and calls.`));
  };
  edges('Callers', method.callers);
  edges('Callees', method.callees);
  into.append(element('p', {class: 'dim'},
    'Callers and callees are known from stacks of samples, calling contexts, and the classes at call sites'
    + (model.cut.asked_for_code ? '; static calls, from bytecode.' : '; with --classes, those of static calls, too.')));
}

function instructionAt(method, bci) {
  return method.code?.instructions.find((instruction) => instruction.bci === bci) ?? null;
}

// " (taken)", " (falls through)", if the bytecode is known.
function branchHint(method, site, outcome) {
  const instruction = instructionAt(method, site.bci);
  if (!instruction || instruction.mnemonic.endsWith('switch')) return '';
  if (instruction.targets.includes(outcome.key)) return ', taken';
  // With more outcomes, an image build folded or inlined the branch.
  return site.outcomes.length + site.hidden <= 2 ? ', falls through' : '';
}

// The name that is called: from the profile, or from the bytecode.
function calleeHint(method, site) {
  const name = site.callee.split('.').pop() || instructionAt(method, site.bci)?.operand.match(/\.([^.(]+)\(/)?.[1];
  return name ? element('span', {class: 'dim'}, `.${name}`) : '';
}
