// Colours of packages: each group of packages has one. The groups that take most room in the flame graph are first, and the
// first twelve differ most; after these, the same hues come again in another tone.
//
// A group is the first two parts of a JDK package ("java.util") and the first three of any other ("com.acme.shop").

const HUES = [205, 28, 140, 275, 52, 350, 178, 310, 85, 235, 10, 120];
const TONES = 3;

export function groupOf(method) {
  if (method.package === '(default)') return method.package;
  return method.package.split('.').slice(0, method.isJdk ? 2 : 3).join('.');
}

// groups: all that have frames, [{name, color}]. A color is {tone, hue}: the class and the hue of an element.
export function chooseColors(model) {
  const weights = new Map();
  for (const frame of model.frames) {
    if (frame.method < 0) continue;
    const group = groupOf(model.methods[frame.method]);
    weights.set(group, (weights.get(group) ?? 0) + Math.max(...frame.weight));
  }
  const ordered = [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const colors = new Map(ordered.map(([name], index) => [name,
    {tone: `tone-${Math.floor(index / HUES.length) % TONES}`, hue: String(HUES[index % HUES.length])}]));
  return {
    groups: [...colors].map(([name, color]) => ({name, color})),
    colorOf: (method) => colors.get(groupOf(method)),
  };
}
