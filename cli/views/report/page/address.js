// The address of a view and its state: #/methods?q=price&sort=calls. A link to it shows the same. `thread` is the state of all
// views: undefined if the address does not have it.

export function readAddress() {
  const [path, query = ''] = location.hash.slice(1).split('?');
  const [, view = 'overview', argument = ''] = path.split('/');
  const {thread, ...state} = Object.fromEntries(new URLSearchParams(query));
  return {path, view, argument: decoded(argument), state, thread};
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
  writeAddress(at.path || `/${view}`, {...state, thread: at.thread ?? ''});
}

// Writes which thread is shown into the address of any view; '' stands for all.
export function keepThread(thread) {
  const at = readAddress();
  writeAddress(at.path, {...at.state, thread});
}

function writeAddress(path, state) {
  const given = Object.entries(state).filter(([, value]) => value !== '' && value !== false).map(([key, value]) => [key, value === true ? '1' : String(value)]);
  const query = String(new URLSearchParams(given));
  history.replaceState(null, '', `#${path}${query === '' ? '' : `?${query}`}`);
}
