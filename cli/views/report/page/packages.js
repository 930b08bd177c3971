// Colours of packages: the heaviest groups of packages have one each, all others share one.
//
// A group is the first two parts of a JDK package ("java.util") and the first three of any other ("com.acme.shop").

export const COLORS = 11;

export function groupOf(method) {
  if (method.package === '(default)') return method.package;
  return method.package.split('.').slice(0, method.isJdk ? 2 : 3).join('.');
}

// The groups with a colour, heaviest first: [{name, color}]; colorOf(method) is a class name.
export function chooseColors(model) {
  const weights = new Map();
  for (const method of model.methods) {
    const weight = Math.max(...method.self, 0) || Math.max(...method.total, 0) * 1e-6;
    if (weight > 0) weights.set(groupOf(method), (weights.get(groupOf(method)) ?? 0) + weight);
  }
  const ordered = [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, COLORS - 1);
  const colors = new Map(ordered.map(([name], index) => [name, `package-${index}`]));
  return {
    groups: ordered.map(([name]) => ({name, color: colors.get(name)})),
    colorOf: (method) => colors.get(groupOf(method)) ?? 'package-other',
  };
}
