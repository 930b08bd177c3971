// The address of a view and its state: #/methods?q=price&sort=calls. A link to it shows the same.

export function readAddress() {
  const [path, query = ''] = location.hash.slice(1).split('?');
  const [, view = 'overview', argument = ''] = path.split('/');
  return {path, view, argument: decoded(argument), state: Object.fromEntries(new URLSearchParams(query))};
}

// A text that is no encoded one stands for itself.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Writes the state of a view into the address, if that view is the one that is shown. Values that are empty are left out.
export function keepState(view, state) {
  const at = readAddress();
  if (at.view !== view) return;
  const given = Object.entries(state).filter(([, value]) => value !== '' && value !== false).map(([key, value]) => [key, value === true ? '1' : String(value)]);
  const query = String(new URLSearchParams(given));
  history.replaceState(null, '', `#${at.path || `/${view}`}${query === '' ? '' : `?${query}`}`);
}
