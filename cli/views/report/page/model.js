// The data of the page as objects. cli/views/report/report_data.h describes their form in the file.
//
// Every count is an array with one number of each profile: one, or the old and the new one. `newest` is the index of
// the profile that the page is about.

import { longType, packageOf, shortType, sureness } from './format.js';

export const TABLES = ['calls', 'branches', 'receivers', 'monitors', 'samples', 'type checks'];
const KEYS = ['callCountProfiles', 'conditionalProfiles', 'virtualInvokeProfiles', 'monitorProfiles', 'samplingProfiles',
  'instanceOfProfiles'];
const SCOPES = ['', 'in it', 'in it or below'];  // what a change of samples is about
export const MEASURES = ['calls', 'self', 'total', 'branches', 'receivers'];

const perSide = (value) => (Array.isArray(value) ? value : [value]);

// [a, b, c, d] in groups of two: [[a, b], [c, d]]
function groups(list, size) {
  const made = [];
  for (let i = 0; i < list.length; i += size) made.push(list.slice(i, i + size));
  return made;
}

function readMethod(row, index, types, jdk) {
  const [name, signature, counts, sites = [], positions = [], callers = [], callees = [], code] = row;
  const declaring = types[signature[0]];
  const parameters = signature.slice(2).map((type) => types[type]);
  const returns = signature.length > 1 ? types[signature[1]] : '';
  const method = {
    index, name, declaring, returns, parameters,
    isJdk: jdk.has(signature[0]),
    hasDetails: row.length > 3,
    package: packageOf(declaring),
    href: `#/method/${index}`,
    page: index,  // of the page about it; null: there is none
    className: shortType(declaring),
    short: `${shortType(declaring)}.${name}`,
    readable: `${declaring}.${name}(${parameters.map(longType).join(', ')}) ${longType(returns)}`,
    text: `${declaring}.${name}(${parameters.join(', ')})${returns}`,
    sites: sites.map(([table, bci, line, total, outcomes, hidden, callee = '']) => ({
      table: TABLES[table], bci, line, total: perSide(total), hidden, callee,
      outcomes: groups(outcomes, 2).map(([key, value]) => ({
        key, count: perSide(value), type: TABLES[table] === 'branches' ? null : types[key]})),
    })),
    positions: positions.map(([bci, line, self, total]) => ({bci, line, self: perSide(self), total: perSide(total)})),
    callers: callers.map(([other, samples, calls]) => ({other, samples: perSide(samples), calls: perSide(calls)})),
    callees: callees.map(([other, samples, calls]) => ({other, samples: perSide(samples), calls: perSide(calls)})),
    code: code === undefined ? null : readCode(code),
  };
  MEASURES.forEach((measure, m) => { method[measure] = perSide(counts[m]); });
  method.sureness = counts.length > MEASURES.length ? sureness(counts[MEASURES.length]) : '';
  return method;
}

function readCode(code) {
  const lines = groups(code.lines, 2);
  const executions = new Map(groups(code.blocks, 2));
  let line = 0;
  let nextLine = 0;
  let runs = null;
  return {
    file: code.file ?? '',
    firstLine: code.first_line ?? 0,
    source: code.source ?? [],
    instructions: code.code.map(([bci, mnemonic, operand, targets = [], callee = -1]) => {
      while (nextLine < lines.length && lines[nextLine][0] <= bci) line = lines[nextLine++][1];
      const startsBlock = executions.has(bci);
      if (startsBlock) runs = executions.get(bci);
      return {bci, mnemonic, operand, targets, callee, line, executions: runs, startsBlock};
    }),
  };
}

// Of the data of the page, or of these compared with another profile (comparison.js).
export function readModel(data) {
  const jdk = new Set(data.jdk);
  const sides = data.profiles.length;
  const model = {
    sides,
    newest: sides - 1,
    tool: data.tool,
    profiles: data.profiles,
    types: data.types,
    methods: data.methods.map((row, index) => readMethod(row, index, data.types, jdk)),
    frames: groups(data.flame, 6).map(([depth, method, weight, place, weightThere, frames]) => ({
      depth, method, weight: perSide(weight), place, weightThere: perSide(weightThere), frames})),
    monitors: groups(data.monitors, 2).map(([type, value]) => ({type: data.types[type], count: perSide(value)})),
    allMonitors: data.all_monitors,
    changes: (data.changes ?? []).map(([table, scope, method, place, bci, importance, movement, shares, counts, outcomes]) => ({
      table: TABLES[table], scope: SCOPES[scope], method, place, bci, importance, movement, shares, counts, outcomes})),
    allChanges: data.all_changes ?? 0,
    fits: groups(data.fits ?? [], 4).map(([name, weight, relevant, applicable]) => ({name, weight, relevant, applicable})),
    allFits: data.all_fits ?? 0,
    cut: data.cut,
    mostEdges: data.cut.most_edges,  // callers or callees of a method
    events: data.events ?? null,  // events_view.js reads them
    isPart: data.is_part === true,  // samples.js has left out some samples
  };
  model.isDiff = sides > 1;
  // Of a table, of one profile.
  model.total = (name, side = model.newest) => {
    const key = KEYS[TABLES.indexOf(name)];
    return data.profiles[side].tables.find((entry) => entry.table === key)?.total ?? 0;
  };
  // What a measure's shares are of.
  const tableOf = {calls: 'calls', self: 'samples', total: 'samples', branches: 'branches', receivers: 'receivers'};
  model.shareOf = (method, measure, side = model.newest) => {
    const whole = model.total(tableOf[measure], side);
    return whole > 0 ? method[measure][side] / whole : 0;
  };
  // What an image build would call hot (writer/ops/hot_set.h): the heaviest by calls and branches, and all that weigh as much.
  const hotWeight = (method) => method.calls[model.newest] + method.branches[model.newest];
  const most = data.profiles[model.newest].hot.methods;
  const least = most === 0 ? Infinity : model.methods.map(hotWeight).sort((a, b) => b - a)[Math.min(most, model.methods.length) - 1];
  model.isHot = (method) => hotWeight(method) > 0 && hotWeight(method) >= least;
  model.tableOfKey = (key) => TABLES[KEYS.indexOf(key)];
  return model;
}

// "line 42", "bci 7": where in its method a frame's samples are.
export function placeText(place) {
  return place > 0 ? `line ${place}` : `bci ${-1 - place}`;
}
