// Numbers and names for people.

const WHOLE = new Intl.NumberFormat('en-US');

export function count(number) {
  return WHOLE.format(number);
}

// Short: 1,234 / 56.8 k / 1.23 M; the whole number stands in a title.
export function shortCount(number) {
  if (Math.abs(number) < 10000) return WHOLE.format(number);
  const units = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let value = number;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    ++unit;
  }
  return `${value.toPrecision(3)} ${units[unit]}`;
}

// "6.0 MB", "5.0 ms", "1,234", as the tool writes them (cli/files/event_option.h).
const SCALES = {
  bytes: [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']],
  nanoseconds: [[3.6e12, 'h'], [1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']],
};

export function amount(number, unit) {
  const [scale, name] = SCALES[unit]?.find(([from]) => number >= from || from === 1) ?? [0, ''];
  if (name === '') return count(number);
  return `${scale === 1 ? number : (number / scale).toFixed(1)} ${name}`;
}

// What a mark says (writer/profile/sureness.h): "M" → "estimated from 4,096 executions", "g+" → "guessed, but for the calls".
export function sureness(mark) {
  if (mark.endsWith('+')) return `${sureness(mark.slice(0, -1))}, but for the calls`;
  const words = {e: 'exact', b: 'bounded', g: 'guessed'};
  if (mark < 'A' || mark > 'Z') return words[mark] ?? 'unknown';
  const executions = 2 ** (mark.charCodeAt(0) - 65);
  return `estimated from ${count(executions)} execution${executions === 1 ? '' : 's'}`;
}

export function share(part, whole) {
  return whole > 0 ? part / whole : 0;
}

// 0.1234 → "12.3 %"; what is not nothing is never "0 %", and what is not all is never "100 %".
export function percent(value, digits = 1) {
  if (value === 0) return '0 %';
  const least = 10 ** -(digits + 2);
  if (Math.abs(value) < least / 2) return value > 0 ? `< ${(least * 100).toFixed(digits)} %` : `> −${(least * 100).toFixed(digits)} %`;
  if (value < 1 && value > 1 - least / 2) return `> ${(100 - least * 100).toFixed(digits)} %`;
  const text = (Math.abs(value) * 100).toFixed(digits);
  return `${value < 0 ? '−' : ''}${text} %`;
}

// A change of a share in percentage points: "+1.2", "−0.3", "0.0".
export function points(change) {
  const text = (Math.abs(change) * 100).toFixed(2);
  return Number(text) === 0 ? '0.00' : `${change > 0 ? '+' : '−'}${text}`;
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// "a.b.Outer$Inner" → "Outer$Inner"; arrays as "Outer[]".
export function shortType(name) {
  let dimensions = '';
  while (name.startsWith('[')) {
    name = name.slice(1);
    dimensions += '[]';
  }
  if (dimensions !== '') {
    const primitives = {Z: 'boolean', B: 'byte', S: 'short', C: 'char', I: 'int', J: 'long', F: 'float', D: 'double'};
    name = primitives[name] ?? name.replace(/^L(.*);$/s, '$1');
  }
  const hidden = name.indexOf('/');
  const dot = name.lastIndexOf('.', hidden < 0 ? undefined : hidden);
  return name.slice(dot + 1) + dimensions;
}

// The whole name, with arrays as "a.b.Outer[]".
export function longType(name) {
  return name.startsWith('[') ? `${packageOf(name.replace(/^\[+L?/, ''))}.`.replace('(default).', '') + shortType(name) : name;
}

export function packageOf(type) {
  const hidden = type.indexOf('/');
  const dot = type.lastIndexOf('.', hidden < 0 ? undefined : hidden);
  return dot < 0 ? '(default)' : type.slice(0, dot);
}

// "2026-11-24T23:35:27.120Z" → "2026-11-24 23:35:27"
export function moment(text) {
  return text.slice(0, 19).replace('T', ' ');
}

export function duration(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
