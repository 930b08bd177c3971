// The address of a view and its state: #/methods?q=price&sort=calls. A link to it shows the same. Which samples are shown is the
// state of all views: `thread`, `from` and `to` are undefined if the address does not have them.

const OF_SAMPLES = ['thread', 'from', 'to'];

export function readAddress() {
  const [path, query = ''] = location.hash.slice(1).split('?');
  const [, view = 'overview', argument = ''] = path.split('/');
  const {thread, from, to, ...state} = Object.fromEntries(new URLSearchParams(query));
  return {path, view, argument: decoded(argument), state, samples: {thread, from, to}};
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
  writeAddress(at.path || `/${view}`, {...state, ...withTexts(at.samples)});
}

// Writes which samples are shown into the address of any view: {thread, from, to}, of which '' stands for all.
export function keepSamples(samples) {
  const at = readAddress();
  writeAddress(at.path, {...at.state, ...withTexts(samples)});
}

const withTexts = (samples) => Object.fromEntries(OF_SAMPLES.map((name) => [name, samples[name] ?? '']));

function writeAddress(path, state) {
  const given = Object.entries(state).filter(([, value]) => value !== '' && value !== false).map(([key, value]) => [key, value === true ? '1' : String(value)]);
  const query = String(new URLSearchParams(given));
  history.replaceState(null, '', `#${path}${query === '' ? '' : `?${query}`}`);
}
