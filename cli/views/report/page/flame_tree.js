// The flame graph's tree: as it is; turned over, with the methods in which the time is spent at the top and their callers
// below them; and both halves of a sandwich, which begin at one method.
//
// A node is {method, weight, self, children, parent, place, weightThere, frames}; method -1 stands for frames that are too
// small to draw, and null for the whole. Children are largest first. In a sandwich a stack counts once, at the outermost
// frame of the method.

const zero = (model) => new Array(model.sides).fill(0);

export function add(into, values) {
  values.forEach((value, side) => { into[side] += value; });
}

function freshNode(model, method, parent) {
  return {method, parent, weight: zero(model), self: zero(model), children: [], byMethod: new Map(), place: 0, weightThere: zero(model), frames: 1};
}

function childOf(model, parent, method) {
  let child = parent.byMethod.get(method);
  if (child === undefined) {
    child = freshNode(model, method, parent);
    parent.byMethod.set(method, child);
    parent.children.push(child);
  }
  return child;
}

// The place with the most weight of all frames that were united is a node's place.
function unitePlace(model, node, frame) {
  if (frame.weightThere[model.newest] <= node.weightThere[model.newest]) return;
  node.place = frame.place;
  node.weightThere = frame.weightThere;
}

const sizeIn = (node, whole) => Math.max(...node.weight.map((value, side) => (whole[side] > 0 ? value / whole[side] : 0)));

function sortChildren(node, whole) {
  node.children.sort((a, b) => sizeIn(b, whole) - sizeIn(a, whole) || a.method - b.method);
  for (const child of node.children) sortChildren(child, whole);
}

export function buildTree(model) {
  const root = freshNode(model, null, null);
  const path = [root];
  for (const frame of model.frames) {
    path.length = frame.depth + 1;
    const parent = path[frame.depth];
    const node = {...frame, children: [], parent, self: [...frame.weight]};
    parent.children.push(node);
    path.push(node);
    parent.self = parent.self.map((value, side) => value - frame.weight[side]);
  }
  for (const child of root.children) add(root.weight, child.weight);
  root.self = zero(model);
  // Of a part of the samples, the order is another one than in the data. What is too small to draw stays behind.
  const order = (node) => {
    node.children.sort((a, b) => (a.method < 0) - (b.method < 0) || sizeIn(b, root.weight) - sizeIn(a, root.weight));
    node.children.forEach(order);
  };
  order(root);
  return root;
}

export function invertTree(model, root) {
  const top = freshNode(model, null, null);
  add(top.weight, root.weight);
  const visit = (node) => {
    if (node.method !== null && node.self.some((value) => value > 0)) {
      let at = top;
      for (let frame = node; frame.method !== null; frame = frame.parent) {
        at = childOf(model, at, frame.method);
        add(at.weight, node.self);
        if (frame === node) add(at.self, node.self);
        unitePlace(model, at, frame);
        if (frame.method < 0) at.frames += frame.frames - 1;
      }
    }
    node.children.forEach(visit);
  };
  visit(root);
  sortChildren(top, root.weight);
  return top;
}

// Calls `use` with each outermost frame of a method.
function forOutermost(node, method, use) {
  if (node.method === method) use(node);
  else node.children.forEach((child) => forOutermost(child, method, use));
}

// The callees of a method below it.
export function calleesOf(model, root, method) {
  const top = freshNode(model, method, null);
  const unite = (into, node) => {
    add(into.weight, node.weight);
    add(into.self, node.self);
    unitePlace(model, into, node);
    if (node.method < 0) into.frames += node.frames - 1;
    for (const child of node.children) unite(childOf(model, into, child.method), child);
  };
  forOutermost(root, method, (node) => unite(top, node));
  sortChildren(top, top.weight);
  return top;
}

// The callers of a method as its children, their callers as theirs.
export function callersOf(model, root, method) {
  const top = freshNode(model, method, null);
  forOutermost(root, method, (node) => {
    let at = top;
    for (let frame = node; frame.method !== null; frame = frame.parent) {
      if (frame !== node) at = childOf(model, at, frame.method);
      add(at.weight, node.weight);
      unitePlace(model, at, frame);
    }
  });
  sortChildren(top, top.weight);
  return top;
}

// The weight of all frames that match, without counting a stack twice.
export function matchedWeight(root, matches, side) {
  if (root.method !== null && matches(root)) return root.weight[side];
  return root.children.reduce((sum, child) => sum + matchedWeight(child, matches, side), 0);
}
