// A profile that the user gives to the page: its file, plain or gzipped JSON (docs/format.md), and the figures in it.
//
// Names stand for numbers here, because another profile numbers its types and methods in another way. A method's text is as in
// model.js.

import { TABLES } from './model.js';

const OTHER_KEY = -5;  // of a successor: a further key of its index (writer/profile/branch_outcomes.h)

// A promise of {profile} or {problem}, a sentence. It fails for what is no profile.
export async function readProfileFile(file) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = first === 0x1f && second === 0x8b;
  const text = isGzip ? await new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).text() : await file.text();
  const profile = JSON.parse(text);
  if (profile.iprofagent?.contexts?.form === 'inclusive')
    return {problem: `${file.name} has counts in the inclusive form. iprof convert --contexts disjoint makes the other one.`};
  return {profile: figuresOf(profile)};
}

const added = (map, key, count) => map.set(key, (map.get(key) ?? 0) + count);

// Outcomes of a branch: successor's bci → count. Triples of one index are one outcome.
function branchOutcomes(records) {
  const bciOf = new Map();
  const outcomes = new Map();
  for (let i = 0; i < records.length; i += 3) {
    if (records[i] !== OTHER_KEY && !bciOf.has(records[i + 1])) bciOf.set(records[i + 1], records[i]);
  }
  for (let i = 0; i < records.length; i += 3) added(outcomes, bciOf.get(records[i + 1]) ?? OTHER_KEY, records[i + 2]);
  return outcomes;
}

// {stacks, types, methods}: the stacks of the samples by ctx, with their weights, and what only they name. The part "split" has the
// whole stacks of which the table has pieces, or nothing; if the table lacks a piece, another program has changed it, and the part is
// ignored.
function wholeStacks(profile) {
  const table = new Map((profile.samplingProfiles ?? []).map(({ctx, records}) => [ctx, records[0]]));
  const {whole = [], types = [], methods = []} = profile.iprofagent?.split ?? {};
  const stacks = new Map(table);
  const joined = [];
  let frames = [];
  for (const [ctx, weight, ...ends] of whole) {
    const own = ctx.split('<');
    const shared = own.at(-1).startsWith('*') ? Number(own.pop().slice(1)) : 0;
    frames = [...own, ...frames.slice(frames.length - shared)];
    joined.push([frames.join('<'), weight]);
    for (let i = 0; i < ends.length; i += 2) {
      const isAt0 = ends[i] < 0;
      const piece = frames.slice(isAt0 ? -ends[i] - 1 : ends[i], ends[i + 1]);
      if (isAt0) piece[0] = piece[0].replace(/:.*/, ':0');
      const left = stacks.get(piece.join('<'));
      if (!(left >= weight)) return {stacks: table, types: [], methods: []};
      stacks.set(piece.join('<'), left - weight);
    }
  }
  for (const [ctx, weight] of joined) added(stacks, ctx, weight);
  return {
    stacks: new Map([...stacks].filter(([, weight]) => weight > 0)),
    types: types.map(([id, name]) => ({id, name})),
    methods: methods.map(([id, name, ...signature]) => ({id, name, signature})),
  };
}

const freshFrame = () => ({children: new Map(), weight: 0, places: new Map()});

// {methods: text → {name, types, counts, sites}, root, tables: [{entries, total, methods} by table], monitors: type → count}.
// `counts` are in the order of MEASURES; `sites` are "table:bci" → outcomes; `root` is the tree of stacks.
export function figuresOf(profile) {
  const whole = wholeStacks(profile);
  const types = new Map([...profile.types, ...whole.types].map(({id, name}) => [id, name]));
  const texts = new Map();
  const methods = new Map();
  for (const {id, name, signature} of [...profile.methods, ...whole.methods]) {
    const [declaring, returns, ...parameters] = signature.map((type) => types.get(type));
    const text = `${declaring}.${name}(${parameters.join(', ')})${returns}`;
    texts.set(id, text);
    methods.set(text, {name, types: [declaring, returns, ...parameters], counts: [0, 0, 0, 0, 0], sites: new Map()});
  }
  const root = freshFrame();
  const monitors = new Map();
  const tables = TABLES.map(() => ({entries: 0, total: 0, methods: new Set()}));

  const readers = {
    calls: (method, bci, records) => { method.counts[0] += records[0]; return records[0]; },
    branches: (method, bci, records) => addSite(method, `1:${bci}`, branchOutcomes(records), 3),
    receivers: (method, bci, records) => addSite(method, `2:${bci}`, typeCounts(records), 4),
    monitors: (method, bci, records) => sumInto(monitors, typeCounts(records)),
    samples: (method, bci, records, frames) => addStack(frames.filter((frame) => frame.text !== undefined), records[0]),
    'type checks': (method, bci, records) => addSite(method, `5:${bci}`, typeCounts(records), -1),
  };
  const entries = [profile.callCountProfiles, profile.conditionalProfiles, profile.virtualInvokeProfiles, profile.monitorProfiles,
    [...whole.stacks].map(([ctx, weight]) => ({ctx, records: [weight]})), profile.instanceOfProfiles ?? profile.instanceofProfiles];
  entries.forEach((list, table) => {
    for (const {ctx, records} of list ?? []) {
      const frames = ctx.split('<').map((frame) => frame.split(':').map(Number)).map(([id, bci]) => ({text: texts.get(id), bci}));
      tables[table].total += readers[TABLES[table]](methods.get(frames[0].text), frames[0].bci, records, frames);
      ++tables[table].entries;
      if (frames[0].text !== undefined) tables[table].methods.add(frames[0].text);
    }
  });

  function typeCounts(records) {
    const counts = new Map();
    for (let i = 0; i < records.length; i += 2) added(counts, types.get(records[i]), records[i + 1]);
    return counts;
  }

  function sumInto(into, outcomes) {
    let sum = 0;
    for (const [key, count] of outcomes) {
      added(into, key, count);
      sum += count;
    }
    return sum;
  }

  function addSite(method, site, outcomes, measure) {
    if (!method.sites.has(site)) method.sites.set(site, new Map());
    const sum = sumInto(method.sites.get(site), outcomes);
    if (measure >= 0) method.counts[measure] += sum;
    return sum;
  }

  // A method that is on a stack twice has the sample once in its total.
  function addStack(frames, count) {
    if (frames.length === 0) return count;
    methods.get(frames[0].text).counts[1] += count;
    for (const text of new Set(frames.map((frame) => frame.text))) methods.get(text).counts[2] += count;
    let at = root;
    for (const {text, bci} of [...frames].reverse()) {
      if (!at.children.has(text)) at.children.set(text, freshFrame());
      at = at.children.get(text);
      at.weight += count;
      added(at.places, bci, count);
    }
    return count;
  }

  return {methods, root, monitors, tables: tables.map((table) => ({...table, methods: table.methods.size}))};
}
