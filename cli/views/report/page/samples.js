// The data of a page with some samples alone: those of one thread, and those of a time of the recording. Their figures are those
// of a flame graph; counts of calls and branches stay those of the whole run, and samples of single lines are not known.

import { duringText } from './time_control.js';

// Calls `use(caller, callee, weight)` once for each pair of methods on a stack, and `use(null, method, weight)` for each method,
// with recursion too; and `inside(method, weight)` for the innermost frame.
function forStacks(flame, use, inside) {
  const path = [];  // {method, left, opened}: `left` is what no callee has
  const open = new Set();  // what is on the path
  const close = (depth) => {
    while (path.length > depth) {
      const frame = path.pop();
      if (frame.method >= 0) inside(frame.method, frame.left);
      frame.opened.forEach((key) => open.delete(key));
    }
  };
  for (let i = 0; i < flame.length; i += 6) {
    const [depth, method, weight] = flame.slice(i, i + 3);
    close(depth);
    const above = path.at(-1);
    if (above) above.left -= weight;
    const opened = [];
    const enter = (caller) => {
      const key = `${caller} ${method}`;
      if (open.has(key)) return;
      open.add(key);
      opened.push(key);
      use(caller, method, weight);
    };
    if (method >= 0) enter(null);
    if (method >= 0 && above?.method >= 0) enter(above.method);
    path.push({method, left: weight, opened});
  }
  close(0);
}

// Edges of the thread's samples and of all calls, by samples, then by calls.
function edgesOf(old, samples, most) {
  const edges = new Map(old.map(([other, , calls]) => [other, [0, calls]]));
  for (const [other, weight] of samples ?? []) edges.set(other, [weight, edges.get(other)?.[1] ?? 0]);
  return [...edges].map(([other, figures]) => [other, ...figures]).filter(([, weight, calls]) => weight + calls > 0)
    .sort((a, b) => b[1] - a[1] || b[2] - a[2] || a[0] - b[0]).slice(0, most);
}

// A flame graph with the samples of the periods [from, to) alone: [frames as in the data, sum].
function during(flame, times, from, to) {
  const kept = [];
  let sum = 0;
  times.forEach((time, at) => {
    const [depth, method, weight, place, weightThere, frames] = flame.slice(6 * at, 6 * at + 6);
    let part = 0;
    const add = (period, value) => { if (period >= from && period < to) part += value; };
    if (typeof time === 'number') add(time, weight);
    else for (let i = 0; i < time.length; i += 2) add(time[i], time[i + 1]);
    if (part === 0) return;
    kept.push(depth, method, part, place, Math.min(weightThere, part), frames);
    if (depth === 0) sum += part;
  });
  return [kept, sum];
}

// `thread` is a row of data.threads, or undefined: all. `time` is [from, to), numbers in data.seconds, or null: all.
export function dataOfSamples(data, thread, time) {
  if (!thread && !time) return data;
  const [, samplesAtAllTimes, flameOfAllTimes, times] = thread ?? ['', 0, data.flame, data.times];
  const [flame, samples] = time ? during(flameOfAllTimes, times, ...time) : [flameOfAllTimes, samplesAtAllTimes];
  const self = new Array(data.methods.length).fill(0);
  const total = [...self];
  const callers = new Map();
  const callees = new Map();
  const note = (edges, of, other, weight) => {
    if (!edges.has(of)) edges.set(of, new Map());
    edges.get(of).set(other, (edges.get(of).get(other) ?? 0) + weight);
  };
  forStacks(flame, (caller, method, weight) => {
    if (caller === null) {
      total[method] += weight;
      return;
    }
    note(callers, method, caller, weight);
    note(callees, caller, method, weight);
  }, (method, weight) => { self[method] += weight; });
  const most = data.cut.most_edges;
  const methods = data.methods.map(([method, signature, [calls, , , ...counts], ...details], index) => {
    const row = [method, signature, [calls, self[index], total[index], ...counts]];
    if (details.length === 0) return row;
    const [sites, , old, oldCallees, ...code] = details;
    return [...row, sites, [], edgesOf(old, callers.get(index), most), edgesOf(oldCallees, callees.get(index), most), ...code];
  });
  let undrawn = 0;
  let frames = 0;
  let allFrames = 0;
  for (let i = 0; i < flame.length; i += 6) {
    if (flame[i + 1] < 0) undrawn += flame[i + 2];
    else frames += 1;
    allFrames += flame[i + 5];
  }
  const [profile] = data.profiles;
  const tables = profile.tables.map((entry) => (entry.table === 'samplingProfiles' ? {...entry, total: samples} : entry));
  const notes = [...profile.notes];
  if (thread) notes.push(['Thread', `${thread[0]}: samples are of it alone, counts of all threads`]);
  if (time) notes.push(['Time', `${duringText(data.seconds, time)}: samples are of it alone, counts of the whole recording`]);
  return {...data, methods, flame, is_part: true,
    cut: {...data.cut, frames, all_frames: allFrames, undrawn: samples > 0 ? undrawn / samples : 0},
    profiles: [{...profile, tables, notes}]};
}
