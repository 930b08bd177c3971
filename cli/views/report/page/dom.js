// Builds elements. Texts always become text nodes: no name from a profile is ever read as HTML.

// element('a', {href: '#/', class: 'name', onclick: f}, 'text', child, …); attributes that are null or false are left out.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) {
      made.addEventListener(name.slice(2), value);
    } else if (name === 'style') {
      // The policy forbids style attributes, but not setting properties.
      for (const [property, text] of Object.entries(value)) made.style.setProperty(property, text);
    } else {
      made.setAttribute(name, value === true ? '' : value);
    }
  }
  return append(made, ...children);
}

// Adds children and lists of them; what is null or empty is left out.
export function append(into, ...children) {
  into.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ''));
  return into;
}

// A name that a line may break before a dot, a dollar sign or a capital.
export function breakable(name) {
  return name.split(/(?=[.$])|(?<=[a-z0-9])(?=[A-Z])/).flatMap((part, index) => (index === 0 ? [part] : [element('wbr'), part]));
}

// Calls the last of several quick calls.
export function debounced(milliseconds, call) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
}

// A table: columns are {title, class, numeric}, rows are arrays of cells.
export function table(caption, columns, rows, attributes = {}) {
  const cell = (content, c) => element('td', {class: columns[c].class ?? (columns[c].numeric ? 'number' : null)}, content);
  return element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
    element('table', attributes,
      element('caption', {class: 'hidden'}, caption),
      element('thead', {}, element('tr', {},
        columns.map((column) => element('th', {scope: 'col', class: column.numeric ? 'number' : null}, column.title)))),
      element('tbody', {}, rows.map((row) => element('tr', {}, row.map(cell))))));
}
