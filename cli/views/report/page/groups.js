// Sums of methods: by class and by package.

import { add } from './flame_tree.js';

export const GROUPS = {
  class: {list: 'classes', title: 'Classes', one: 'class', keyOf: (method) => method.declaring},
  package: {list: 'packages', title: 'Packages', one: 'package', keyOf: (method) => method.package},
};

export function groupHref(kind, key) {
  return `#/${kind}/${encodeURIComponent(key)}`;
}

// The groups by key, each {key, short, text, package, isJdk, members, calls, self, total, branches, receivers}. A stack counts once
// in a total, as far as its frames are drawn. Example: a.A.x calls a.B.y, and 5 samples are in y: a.B has 5 in it, a.A has 5
// below it, and the package "a" has a total of 5, not 10.
export function groupMethods(model, kind) {
  const {keyOf} = GROUPS[kind];
  const zero = () => new Array(model.sides).fill(0);
  const groups = new Map();
  for (const method of model.methods) {
    const key = keyOf(method);
    if (!groups.has(key)) {
      groups.set(key, {key, short: kind === 'class' ? method.className : key, text: key, package: method.package, isJdk: method.isJdk, members: [],
        calls: zero(), self: zero(), total: zero(), branches: zero(), receivers: zero()});
    }
    const group = groups.get(key);
    group.members.push(method);
    for (const measure of ['calls', 'self', 'branches', 'receivers']) add(group[measure], method[measure]);
  }
  const above = [];
  for (const frame of model.frames) {
    above.length = frame.depth;
    const key = frame.method < 0 ? null : keyOf(model.methods[frame.method]);
    if (key !== null && !above.includes(key)) add(groups.get(key).total, frame.weight);
    above.push(key);
  }
  return new Map([...groups].map(([key, group], index) => [key, {...group, index,
    total: group.total.map((value, side) => Math.max(value, group.self[side]))}]));
}
