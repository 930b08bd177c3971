// Bytecode with counts, next to its source. Lines of the source and their instructions mark each other. A line's colour says
// whether it ran: all of it, a part, or nothing.

import { bar } from './cells.js';
import { element } from './dom.js';
import { count, percent, share, shortCount, shortType } from './format.js';

// "case 1, 3 → 28 45.0 %" for each target of a switch; both ways of a branch. An image build's profile may have further
// outcomes, because it folded or inlined branches. `next`: the bci of the next instruction.
function branchNote(model, site, instruction, next) {
  const newest = model.newest;
  const find = (bci) => site.outcomes.find((other) => other.key === bci);
  const part = (bci) => {
    const outcome = find(bci);
    return outcome ? share(outcome.count[newest], site.total[newest]) : 0;
  };
  const arm = (text, value) => element('span', {class: 'arm'}, text, ' ', element('b', {}, percent(value)));
  if (instruction.mnemonic.endsWith('switch')) {
    const keys = instruction.operand.split(', ');
    const arms = new Map();
    instruction.targets.forEach((target, index) => arms.set(target, [...(arms.get(target) ?? []), keys[index] ?? '…']));
    const ways = [...arms].map(([target, names]) => arm(`${names.slice(0, 4).join(', ')}${names.length > 4 ? ' …' : ''} → ${target}`, part(target)));
    const elsewhere = site.outcomes.filter((outcome) => !arms.has(outcome.key))
      .reduce((sum, outcome) => sum + share(outcome.count[newest], site.total[newest]), 0);
    return elsewhere > 0 ? [...ways, arm('elsewhere', elsewhere)] : ways;
  }
  const [target] = instruction.targets;
  const known = find(target) || find(next);
  if (!known || site.outcomes.length + site.hidden > 2) {
    const shown = site.outcomes.slice(0, 4).map((outcome) => arm(outcome.key < 0 ? 'elsewhere' : `→ ${outcome.key}`, part(outcome.key)));
    const hidden = site.outcomes.length + site.hidden - shown.length;
    return hidden > 0 ? [...shown, element('span', {class: 'arm'}, `… ${count(hidden)} more`)] : shown;
  }
  const taken = known.key === target ? part(target) : 1 - part(next);
  return [element('span', {class: 'split', 'aria-hidden': 'true', style: {'--share': String(taken)}}),
    arm('taken', taken), arm('falls through', 1 - taken)];
}

function typeNote(model, site) {
  const newest = model.newest;
  const shown = site.outcomes.slice(0, 4).map((outcome) => element('span', {class: 'arm', title: outcome.type},
    shortType(outcome.type), ' ', element('b', {}, percent(share(outcome.count[newest], site.total[newest])))));
  const hidden = site.outcomes.length + site.hidden - shown.length;
  return hidden > 0 ? [...shown, element('span', {class: 'arm'}, `… ${count(hidden)} more`)] : shown;
}

function shortOperand(instruction) {
  const call = instruction.operand.match(/^(.*)\.([^.(]+)\((.*)\)/);
  if (instruction.mnemonic.startsWith('invoke') && call) {
    const parameters = call[3] === '' ? '' : call[3].split(', ').map(shortType).join(', ');
    return `${shortType(call[1])}.${call[2]}(${parameters})`;
  }
  if (/^(get|put)(field|static)$/.test(instruction.mnemonic)) {
    const field = instruction.operand.split(' ')[0];
    const dot = field.lastIndexOf('.');
    return `${shortType(field.slice(0, dot))}.${field.slice(dot + 1)}`;
  }
  if (/^(new|checkcast|instanceof|anewarray)$/.test(instruction.mnemonic)) return shortType(instruction.operand);
  if (instruction.mnemonic.endsWith('switch')) return '';
  return instruction.operand;
}

// "full", "part" or "none" of a line: its blocks, and the ways of its branches. Empty if the executions are not known.
export function coverageOf(method, instructions, side) {
  const known = instructions.map((instruction) => instruction.executions).filter((value) => value !== null && value !== undefined);
  if (known.length === 0) return '';
  if (Math.max(...known) === 0) return 'none';
  const isWhole = (instruction) => {
    const branch = method.sites.find((site) => site.table === 'branches' && site.bci === instruction.bci);
    if (instruction.targets.length === 0 || !branch) return true;
    const ways = instruction.mnemonic.endsWith('switch') ? new Set(instruction.targets).size : 2;
    return branch.outcomes.filter((outcome) => outcome.count[side] > 0).length + branch.hidden >= ways;
  };
  return Math.min(...known) > 0 && instructions.every(isWhole) ? 'full' : 'part';
}

const COVERAGE = {full: 'all of it ran', part: 'a part of it ran', none: 'never ran'};
const PANES = ['source', 'bytecode', 'both'];

// `shown` is one of PANES, if any; `changed` is called with another one when the user chooses it.
export function createListing(model, method, shown, changed) {
  const newest = model.newest;
  const { code } = method;
  const mostRuns = Math.max(1, ...code.instructions.map((instruction) => instruction.executions ?? 0));
  const allSamples = model.total('samples');
  const sitesAt = new Map();
  for (const site of method.sites) sitesAt.set(site.bci, [...(sitesAt.get(site.bci) ?? []), site]);
  const samplesAt = new Map(method.positions.map((position) => [position.bci, position]));
  const byLine = new Map();  // line → elements

  const remember = (line, made) => {
    if (line > 0) byLine.set(line, [...(byLine.get(line) ?? []), made]);
    return made;
  };
  const mark = (line) => {
    for (const made of root.querySelectorAll('.marked')) made.classList.remove('marked');
    for (const made of byLine.get(line) ?? []) made.classList.add('marked');
  };
  const runs = (executions, shown) => (executions === null || executions === undefined
    ? element('td', {class: 'number dim'}, shown ? '?' : '')
    : element('td', {class: 'number', title: count(executions)},
      shown ? bar(executions / mostRuns) : '',
      element('span', {class: `figure${shown ? '' : ' hidden'}`}, shortCount(executions))));
  const samples = (value) => element('td', {class: 'number'}, value > 0 ? percent(share(value, allSamples)) : '');

  function instructionRow(instruction, index) {
    const sites = sitesAt.get(instruction.bci) ?? [];
    const notes = sites.flatMap((site) => (site.table === 'branches' ? branchNote(model, site, instruction, code.instructions[index + 1]?.bci) : typeNote(model, site)));
    if (instruction.mnemonic === 'monitorenter') notes.unshift(element('span', {class: 'arm'}, 'lock'));
    const isBranch = instruction.targets.length > 0 && !instruction.mnemonic.endsWith('switch');
    const operand = isBranch ? `→ ${instruction.targets[0]}` : shortOperand(instruction);
    return remember(instruction.line, element('tr', {
      class: [instruction.startsBlock ? 'block' : '', instruction.executions === 0 ? 'never' : ''].join(' ').trim() || null,
      onpointerenter: () => mark(instruction.line)},
    element('td', {class: 'number dim'}, String(instruction.bci)),
    runs(instruction.executions, instruction.startsBlock),
    samples(samplesAt.get(instruction.bci)?.total[newest] ?? 0),
    element('td', {class: 'code'}, element('span', {class: 'mnemonic'}, instruction.mnemonic), ' ',
      instruction.callee >= 0 ? element('a', {href: `#/method/${instruction.callee}`, title: instruction.operand}, operand)
        : element('span', {title: operand === instruction.operand ? null : instruction.operand}, operand)),
    element('td', {class: 'notes'}, notes)));
  }

  const indentation = Math.min(...code.source.filter((text) => text.trim() !== '').map((text) => text.search(/\S/)), 99);

  function sourceRow(text, index) {
    const line = code.firstLine + index;
    const instructions = code.instructions.filter((instruction) => instruction.line === line);
    const known = instructions.map((instruction) => instruction.executions).filter((value) => value !== null && value !== undefined);
    const inLine = method.positions.filter((position) => position.line === line)
      .reduce((sum, position) => sum + position.total[newest], 0);
    const coverage = coverageOf(method, instructions, newest);
    return remember(line, element('tr', {class: coverage === '' ? null : `cover-${coverage}`, onpointerenter: () => mark(line)},
      element('td', {class: 'number line', title: COVERAGE[coverage] ?? null}, String(line),
        coverage === '' ? '' : element('span', {class: 'hidden'}, `, ${COVERAGE[coverage]}`)),
      known.length > 0 ? runs(Math.max(...known), true) : element('td'),
      samples(inLine),
      element('td', {class: 'code'}, text.slice(indentation))));
  }

  const pane = (title, columns, rows) => element('div', {class: 'pane', tabindex: '0', role: 'region', 'aria-label': title},
    element('table', {class: 'listing'}, element('caption', {class: 'hidden'}, title),
      element('thead', {}, element('tr', {}, columns.map(([name, numeric]) => element('th', {scope: 'col', class: numeric ? 'number' : null}, name)))),
      element('tbody', {}, rows)));
  const bytecode = pane('Bytecode', [['bci', true], ['Executions', true], ['Samples', true], ['Instruction'], ['What happened']],
    code.instructions.map(instructionRow));
  const source = code.source.length > 0
    ? pane(`Source, ${code.file}`, [['Line', true], ['Executions', true], ['Samples', true], [code.file]], code.source.map(sourceRow)) : null;
  const root = element('div', {class: 'panes'}, source, bytecode);
  const buttons = PANES.map((name) => element('button', {type: 'button', onclick: () => { show(name); changed(name); }}, name[0].toUpperCase() + name.slice(1)));
  function show(name) {
    PANES.forEach((each, index) => buttons[index].setAttribute('aria-pressed', String(each === name)));
    source.hidden = name === 'bytecode';
    bytecode.hidden = name === 'source';
    root.classList.toggle('single', name !== 'both');
  }
  if (!source) {
    root.classList.add('single');
    return root;
  }
  show(PANES.includes(shown) ? shown : 'both');
  return [
    element('div', {class: 'toolbar', role: 'group', 'aria-label': 'Show'}, buttons,
      element('ul', {class: 'legend', 'aria-label': 'Colours of lines'},
        Object.entries(COVERAGE).map(([name, text]) => element('li', {}, element('span', {class: `swatch cover-${name}`}), text)))),
    root];
}
