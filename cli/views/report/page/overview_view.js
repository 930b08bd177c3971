// The overview: the run, what was recorded and how exactly, what is hot, and what an image build can use.

import { missingText, percentCell } from './cells.js';
import { append, breakable, element, table } from './dom.js';
import { count, duration, moment, percent, plural, points, share, shortCount, shortType } from './format.js';

const TOP = 10;
const BEGINS = {start: 'from the JVM’s start', attach: 'attached to the running JVM', later: 'begun while the program ran'};

const capitalised = (text) => text[0].toUpperCase() + text.slice(1);
const fact = (name, ...value) => element('div', {class: 'fact'}, element('dt', {}, name), element('dd', {}, value));
export function programOf(profile) {
  const programs = [...new Set(profile.runs.map((run) => run.program).filter(Boolean))];
  return programs.length === 1 ? programs[0] : profile.file;
}

function runFacts(run) {
  const jvm = [run.jvm_vendor, run.jvm_build ?? run.jvm_version, run.architecture].filter(Boolean).join(', ');
  const window = [run.start ? `${moment(run.start)}${run.end ? ` to ${moment(run.end)}` : ''} UTC` : '',
    run.recorded_ms ? duration(run.recorded_ms) : '', BEGINS[run.begin] ?? ''].filter(Boolean).join(', ');
  return [
    run.program ? fact('Program', run.program) : null,
    jvm ? fact('JVM', jvm) : null,
    window ? fact('Window', window) : null,
    run.tables ? fact('Recorded', run.tables.replaceAll('+', ', ')) : null,
    run.options ? fact('Options', element('code', {class: 'break'}, run.options)) : null,
    run.counts ? fact('Counts', run.counts) : null,
    run.losses.length === 0 ? fact('Left out', 'nothing') : run.losses.map(([became, what]) => fact(capitalised(became), what)),
  ];
}

// What an image build compiles well; it optimises the rest for size.
function hotSet(hot) {
  if (hot.all_methods === 0) return null;
  const code = hot.all_code_bytes > 0
    ? `, ${percent(share(hot.code_bytes, hot.all_code_bytes))} of the code (${count(hot.code_bytes)} of ${count(hot.all_code_bytes)} bytes`
      + `${hot.unknown_lengths > 0 ? `; ${plural(hot.unknown_lengths, 'method')} of unknown length` : ''})` : '';
  return fact('Hot set', `${count(hot.methods)} of ${plural(hot.all_methods, 'method')} have 99.9 % of calls and branches${code}. `
    + 'An image build optimises the other methods for size. ', element('a', {href: '#/methods?hot=1&sort=calls'}, 'Show them'));
}

// "every 10 ms", "interval=auto: every 1 to 8 ms"
function interval({interval_ns: interval, first_interval_ns: first, last_interval_ns: last}) {
  if (first === interval && last === interval) return `every ${interval / 1e6} ms`;
  return `interval=auto: every ${first === last ? first / 1e6 : `${first / 1e6} to ${last / 1e6}`} ms`;
}

function runSection(model, side) {
  const profile = model.profiles[side];
  const title = model.isDiff ? (side === 0 ? 'Old run' : 'New run') : 'Run';
  const facts = profile.runs.length === 1 && profile.older_runs === 0 ? runFacts(profile.runs[0])
    : profile.isDropped ? [fact('Run', 'not shown of a profile that was given to this page')]
    : profile.runs.length === 0 ? [fact('Run', 'the profile does not tell')]
      : [fact('Runs', `${count(profile.runs.length + profile.older_runs)} that were merged`),
        ...profile.runs.slice(-3).map((run) => fact(run.program ?? 'Run',
          [run.start ? moment(run.start) : '', run.recorded_ms ? duration(run.recorded_ms) : ''].filter(Boolean).join(', ') || 'no times known'))];
  const sampling = profile.sampling;
  return element('section', {class: 'card'}, element('h2', {}, title),
    element('dl', {class: 'facts rows'},
      fact('File', element('span', {class: 'break'}, profile.file)),
      facts,
      sampling ? fact('Sampling', `${sampling.event}, ${interval(sampling)}, ${plural(sampling.signals, 'signal')}, `
        + `${count(sampling.failed)} failed (${percent(share(sampling.failed, sampling.signals))})`) : null,
      hotSet(profile.hot),
      profile.notes.map(([name, text]) => fact(name, text))));
}

function tablesSection(model) {
  const newest = model.profiles[model.newest];
  const rows = newest.tables.filter((entry, index) => entry.entries > 0 || model.profiles[0].tables[index].entries > 0);
  return element('section', {class: 'medium'}, element('h2', {}, 'Tables'), table('Tables of the profile', [
    {title: 'Table'}, {title: 'Total', numeric: true}, ...(model.isDiff ? [{title: 'Before', numeric: true}] : []),
    {title: 'Positions', numeric: true}, {title: 'Methods', numeric: true},
    {title: `An image for JDK ${newest.image.jdk} can use`, numeric: true}],
  rows.map((entry) => [model.tableOfKey(entry.table), count(entry.total),
    ...(model.isDiff ? [count(model.total(model.tableOfKey(entry.table), 0))] : []),
    count(entry.entries), entry.methods > 0 ? count(entry.methods) : '',
    entry.usable[0] > 0 ? percentCell(share(entry.usable[1], entry.usable[0])) : ''])));
}

function topSection(model, measure, title) {
  const newest = model.newest;
  const hot = model.methods.filter((method) => method[measure][newest] > 0)
    .sort((a, b) => b[measure][newest] - a[measure][newest]).slice(0, TOP);
  if (hot.length === 0) return null;
  return element('section', {}, element('h2', {}, title), table(title, [
    {title: 'Method'}, {title: 'Share', numeric: true},
    ...(model.isDiff ? [{title: 'Δ', numeric: true}] : []), {title: 'Count', numeric: true}],
  hot.map((method) => [element('a', {href: `#/method/${method.index}`, title: method.text}, breakable(method.short)),
    percentCell(model.shareOf(method, measure)),
    ...(model.isDiff ? [points(model.shareOf(method, measure) - model.shareOf(method, measure, 0))] : []),
    element('span', {title: count(method[measure][newest])}, shortCount(method[measure][newest]))])));
}

function fitnessSection(model) {
  const profile = model.profiles[model.newest];
  if (profile.packages.length === 0) return null;
  const usable = (whole, part) => (whole > 0 ? percentCell(share(part, whole)) : '');
  const rows = profile.packages.map(([name, weight, ...parts]) => [breakable(name), percent(weight), usable(parts[0], parts[1]),
    usable(parts[2], parts[3]), usable(parts[4], parts[5]), usable(parts[6], parts[7])]);
  const rest = profile.all_packages - profile.packages.length;
  return element('section', {class: 'wide'}, element('h2', {}, 'Fitness for an image build'),
    element('p', {class: 'dim'}, `How much of each package’s figures an image for JDK ${profile.image.jdk} can use. `
      + (profile.image.filtered ? 'The agent has left out the rest already (image=y).' : 'Nothing was left out when the profile was recorded (image=n).')),
    table('Fitness for an image build by package', [{title: 'Package', class: 'name'}, {title: 'Weight', numeric: true},
      {title: 'Calls', numeric: true}, {title: 'Branches', numeric: true}, {title: 'Receivers', numeric: true},
      {title: 'Samples', numeric: true}], rows),
    rest > 0 ? element('p', {class: 'dim'}, `… and ${plural(rest, 'smaller package')}`) : null);
}

function classFitSection(model) {
  if (model.fits.length === 0) return null;
  const rest = model.allFits - model.fits.length;
  return element('section', {}, element('h2', {}, 'Fit to the class files'),
    element('p', {class: 'dim'}, 'How much of the profile is of methods that these class files have, and at positions that their code has. '
      + 'A build with these classes finds only that.'),
    table('Fit to the class files by package', [{title: 'Package', class: 'name'}, {title: 'Exists', numeric: true}, {title: 'Applies', numeric: true}],
      model.fits.map((fit) => [breakable(fit.name), percentCell(share(fit.relevant, fit.weight)), percentCell(share(fit.applicable, fit.weight))])),
    rest > 0 ? element('p', {class: 'dim'}, `… and ${plural(rest, 'smaller package')}`) : null);
}

function monitorsSection(model) {
  if (model.monitors.length === 0) return null;
  const whole = model.total('monitors');
  const rest = model.allMonitors - Math.min(TOP, model.monitors.length);
  return element('section', {}, element('h2', {}, 'Monitors'), table('Classes of locked objects', [
    {title: 'Class', class: 'break'}, {title: 'Share', numeric: true}, {title: 'Count', numeric: true}],
  model.monitors.slice(0, TOP).map((monitor) => [element('span', {title: monitor.type}, breakable(shortType(monitor.type))),
    percentCell(share(monitor.count[model.newest], whole)), count(monitor.count[model.newest])])),
  rest > 0 ? element('p', {class: 'dim'}, `… and ${plural(rest, 'more class', 'more classes')}`) : null);
}

export function createOverview(model) {
  return {
    title: 'Overview',
    show(into) {
      const newest = model.profiles[model.newest];
      const ran = model.profiles[model.newest].methods_that_ran;
      const tile = (value, text) => element('div', {class: 'tile'}, element('dt', {}, text), element('dd', {}, value));
      append(into,
        element('h1', {class: 'break'}, model.isDiff ? `${model.profiles[0].file} → ${newest.file}` : programOf(newest)),
        missingText(model),
        element('dl', {class: 'tiles'},
          model.total('samples') > 0 ? tile(shortCount(model.total('samples')), 'samples') : null,
          model.total('calls') > 0 ? tile(shortCount(model.total('calls')), 'calls') : null,
          model.total('branches') > 0 ? tile(shortCount(model.total('branches')), 'branch executions') : null,
          tile(shortCount(ran), 'methods that ran')),
        element('div', {class: 'columns'}, model.profiles.map((_, side) => runSection(model, side))),
        tablesSection(model),
        element('div', {class: 'columns'}, topSection(model, 'self', 'Most samples'), topSection(model, 'calls', 'Most calls'),
          topSection(model, 'branches', 'Most branch executions')),
        fitnessSection(model),
        element('div', {class: 'columns'}, classFitSection(model), monitorsSection(model)));
    },
  };
}
