// The flame graph's tree, as it is and turned over: with the methods in which the time is spent at the top, and their callers
// below them.
//
// A node is {method, weight, self, children, parent, place, weightThere, frames}; method -1 stands for frames that are too
// small to draw. Children are largest first.

export function buildTree(model) {
  const zero = () => new Array(model.sides).fill(0);
  const root = {method: null, weight: zero(), self: zero(), children: [], parent: null, place: 0, weightThere: zero(), frames: 1};
  const path = [root];
  for (const frame of model.frames) {
    path.length = frame.depth + 1;
    const parent = path[frame.depth];
    const node = {...frame, children: [], parent, self: [...frame.weight]};
    parent.children.push(node);
    path.push(node);
    parent.self = parent.self.map((value, side) => value - frame.weight[side]);
  }
  root.weight = zero();
  for (const child of root.children) root.weight = root.weight.map((value, side) => value + child.weight[side]);
  root.self = zero();
  return root;
}

export function invertTree(model, root) {
  const zero = () => new Array(model.sides).fill(0);
  const add = (into, values) => values.forEach((value, side) => { into[side] += value; });
  const fresh = (method, parent) => ({
    method, parent, weight: zero(), self: zero(), children: [], byMethod: new Map(), place: 0, weightThere: zero(), frames: 1});
  const top = fresh(null, null);
  add(top.weight, root.weight);
  const visit = (node) => {
    if (node.method !== null && node.self.some((value) => value > 0)) {
      let at = top;
      for (let frame = node; frame.method !== null; frame = frame.parent) {
        let next = at.byMethod.get(frame.method);
        if (next === undefined) {
          next = fresh(frame.method, at);
          at.byMethod.set(frame.method, next);
          at.children.push(next);
        }
        add(next.weight, node.self);
        if (frame === node) add(next.self, node.self);
        // The place with the most weight of all that were united.
        if (frame.weightThere[model.newest] > next.weightThere[model.newest]) {
          next.place = frame.place;
          next.weightThere = frame.weightThere;
        }
        if (frame.method < 0) next.frames += frame.frames - 1;
        at = next;
      }
    }
    node.children.forEach(visit);
  };
  visit(root);
  const sort = (node) => {
    const size = (child) => Math.max(...child.weight.map((value, side) => (root.weight[side] > 0 ? value / root.weight[side] : 0)));
    node.children.sort((a, b) => size(b) - size(a) || a.method - b.method);
    node.children.forEach(sort);
  };
  sort(top);
  return top;
}

// The weight of all frames that match, without counting a stack twice.
export function matchedWeight(root, matches, side) {
  if (root.method !== null && matches(root)) return root.weight[side];
  return root.children.reduce((sum, child) => sum + matchedWeight(child, matches, side), 0);
}
