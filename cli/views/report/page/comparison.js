// The data of a page together with those of an older profile: what `iprof report --diff` writes, as report_data.h describes it.
//
// All figures are [old, new]. If the page had been cut, only the methods and frames that it has are compared: the others have
// figures in the old profile, but not here. Changes are shares that differ; what chance explains is not left out.

import { packageOf, share } from './format.js';
import { TABLES } from './model.js';

const MOST_CHANGES = 400;
const LEAST_CHANGE = 0.05;     // of a share
const LEAST_IMPORTANCE = 0.0005;
const JDK = /^(java|javax|jdk|sun|com\.sun)\./;

export function compareWith(data, name, old) {
  const isCut = data.cut.methods < data.cut.all_methods;
  const types = [...data.types];
  const numbers = new Map(types.map((type, index) => [type, index]));
  const numberOf = (type) => {
    if (!numbers.has(type)) numbers.set(type, types.push(type) - 1);
    return numbers.get(type);
  };
  const textOf = ([method, signature]) => {
    const [declaring, returns, ...parameters] = signature.map((type) => types[type]);
    return `${declaring}.${method}(${parameters.join(', ')})${returns}`;
  };
  const methods = data.methods.map((row) => pairedMethod(row, old.methods.get(textOf(row)), numberOf));
  const indexOf = new Map(data.methods.map((row, index) => [textOf(row), index]));
  for (const [text, figures] of isCut ? [] : old.methods) {
    if (indexOf.has(text) || figures.counts.every((count) => count === 0)) continue;
    const sites = pairedSites([], figures, numberOf);
    indexOf.set(text, methods.push([figures.name, figures.types.map(numberOf), figures.counts.map((count) => [count, 0]), sites, [], [], []]) - 1);
  }
  const profiles = [oldFacts(name, old, data.profiles[0]), data.profiles[0]];
  const totals = TABLES.map((_, table) => [old.tables[table].total, data.profiles[0].tables[table]?.total ?? 0]);
  const changes = changesOf(methods, types, totals);
  const monitors = pairedOutcomes(data.monitors, data.all_monitors - data.monitors.length / 2, old.monitors, numberOf);
  return {...data, profiles, methods, monitors, flame: pairedFlame(data.flame, old.root, indexOf, totals[4]), all_monitors: Math.max(data.all_monitors, monitors.length / 2),
    changes: changes.slice(0, MOST_CHANGES), all_changes: changes.length, types,
    jdk: [...data.jdk, ...types.slice(data.types.length).flatMap((type, index) => (JDK.test(packageOf(type)) ? [data.types.length + index] : []))]};
}

// What the overview says of the old profile.
function oldFacts(file, old, recent) {
  const ran = [...old.methods.values()].filter((method) => method.counts.some((count) => count > 0)).length;
  return {...recent, file, methods: old.methods.size, methods_that_ran: ran, hot: {...recent.hot, methods: 0, all_methods: 0}, runs: [], older_runs: 0,
    notes: [], sampling: undefined, packages: [], all_packages: 0, isDropped: true,
    tables: recent.tables.map((entry, table) => ({...entry, ...old.tables[table], usable: [0, 0]}))};
}

// [key, count, …] and outcomes of the old profile as [key, [old, new], …], the largest first. If the page has left out outcomes,
// the new count of one that it does not have is not known, and it stays out.
function pairedOutcomes(flat, hidden, old, keyOf) {
  const united = new Map();
  for (let i = 0; i < flat.length; i += 2) united.set(flat[i], [0, flat[i + 1]]);
  for (const [name, count] of old) {
    const key = keyOf(name);
    if (united.has(key) || hidden === 0) united.set(key, [count, united.get(key)?.[1] ?? 0]);
  }
  return [...united].sort(([, a], [, b]) => b[0] + b[1] - a[0] - a[1]).flat(1);
}

function pairedSites(sites, old, numberOf) {
  const sumOf = (outcomes) => [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const left = new Map(old?.sites);
  const made = sites.map(([table, bci, line, total, outcomes, hidden, ...rest]) => {
    const before = left.get(`${table}:${bci}`) ?? new Map();
    left.delete(`${table}:${bci}`);
    return [table, bci, line, [sumOf(before), total], pairedOutcomes(outcomes, hidden, before, table === 1 ? Number : numberOf), hidden, ...rest];
  });
  for (const [site, before] of left) {
    const [table, bci] = site.split(':').map(Number);
    made.push([table, bci, 0, [sumOf(before), 0], pairedOutcomes([], 0, before, table === 1 ? Number : numberOf), 0]);
  }
  return made;
}

function pairedMethod(row, old, numberOf) {
  const [name, signature, counts, sites, positions, callers, callees, ...code] = row;
  const paired = counts.map((count, measure) => (typeof count === 'number' ? [old?.counts[measure] ?? 0, count] : count));
  if (sites === undefined) return [name, signature, paired];
  const recent = (rows, from) => rows.map((cells) => cells.map((cell, index) => (index < from ? cell : [0, cell])));
  return [name, signature, paired, pairedSites(sites, old, numberOf), recent(positions, 2), recent(callers, 1), recent(callees, 1), ...code];
}

// The old stacks go through the frames of the page. Where the page has left out frames, an old one that it does not have is
// among these.
function pairedFlame(flat, oldRoot, indexOf, totals) {
  const fresh = (method, weight, place, there, frames) => ({method, weight, place, there, frames, children: []});
  const root = fresh(null, [0, 0], 0, [0, 0], 0);
  const path = [root];
  for (let i = 0; i < flat.length; i += 6) {
    const [depth, method, weight, place, there, frames] = flat.slice(i, i + 6);
    const node = fresh(method, [0, weight], place, [0, there], frames);
    path.length = depth + 1;
    path[depth].children.push(node);
    path.push(node);
  }
  const addPlace = (node, places) => {
    const [bci, count] = [...places].sort(([a, x], [b, y]) => y - x || a - b)[0];
    if (share(count, totals[0]) > share(node.there[1], totals[1])) {
      const place = -1 - bci;
      node.there = [count, node.place === place ? node.there[1] : 0];
      node.place = place;
    } else {
      node.there[0] = node.place < 0 ? places.get(-1 - node.place) ?? 0 : 0;
    }
  };
  const addBelow = (node, old) => {
    const childOf = new Map(node.children.map((child) => [child.method, child]));
    for (const [text, child] of old.children) {
      const method = childOf.has(indexOf.get(text)) || !childOf.has(-1) ? indexOf.get(text) ?? -1 : -1;
      let into = childOf.get(method);
      if (into === undefined) {
        into = fresh(method, [0, 0], -1, [0, 0], 1);
        childOf.set(method, into);
        node.children.push(into);
      }
      into.weight[0] += child.weight;
      if (into.method === -1) continue;
      addPlace(into, child.places);
      addBelow(into, child);
    }
  };
  addBelow(root, oldRoot);
  const made = [];
  const largest = (node) => Math.max(...node.weight.map((weight, side) => share(weight, totals[side])));
  const write = (node, depth) => {
    node.children.sort((a, b) => (a.method === -1) - (b.method === -1) || largest(b) - largest(a) || a.method - b.method);
    for (const child of node.children) {
      made.push(depth, child.method, child.weight, child.place, child.there, child.frames);
      write(child, depth + 1);
    }
  };
  write(root, 0);
  return made;
}

// Shares of calls and samples of methods, and of a branch's outcomes: the most important first.
function changesOf(methods, types, totals) {
  const changes = [];
  const add = (table, scope, method, place, bci, [before, after], counts, movement, outcomes) => {
    const importance = Math.max(before, after) * movement;
    if (movement >= LEAST_CHANGE && importance >= LEAST_IMPORTANCE)
      changes.push([table, scope, method, place, bci, importance, movement, [before, after], counts, outcomes]);
  };
  const sharesOf = (table, counts) => counts.map((count, side) => share(count, totals[table][side]));
  methods.forEach(([name, signature, counts, sites = []], method) => {
    const place = `${types[signature[0]]}.${name}`;
    for (const [table, scope, measure] of [[0, 0, 0], [4, 1, 1]]) {
      const shares = sharesOf(table, counts[measure]);
      add(table, scope, method, place, 0, shares, counts[measure], share(Math.abs(shares[1] - shares[0]), Math.max(...shares)), []);
    }
    for (const [table, bci, , total, flat] of sites) {
      if (total.includes(0)) continue;  // what never ran has no shares
      const outcomes = [];
      for (let i = 0; i < flat.length; i += 2)
        outcomes.push([table === 1 ? String(flat[i]) : types[flat[i]], ...flat[i + 1].map((count, side) => share(count, total[side]))]);
      const movement = outcomes.reduce((sum, [, before, after]) => sum + Math.abs(after - before), 0) / 2;
      add(table, 0, method, place, bci, sharesOf(table, total), total, movement, outcomes);
    }
  });
  return changes.sort((a, b) => b[5] - a[5]);
}
