// Shows the view that the address names: #/overview, #/flame, #/events, #/methods, #/classes, #/packages, #/method/12, #/class/a.B,
// #/package/a, #/sandwich/12, #/changes. Behind a question mark is the state of the view (address.js).

import { keepSamples, readAddress } from './address.js';
import { element } from './dom.js';
import { createChangesView } from './changes_view.js';
import { createCompareControl } from './compare_control.js';
import { compareWith } from './comparison.js';
import { createEventsView } from './events_view.js';
import { createFlameView } from './flame_view.js';
import { showGroup } from './group_view.js';
import { GROUPS, groupHref, groupMethods } from './groups.js';
import { createListView } from './methods_view.js';
import { createOverview, programOf } from './overview_view.js';
import { readModel } from './model.js';
import { showMethod } from './method_view.js';
import { createSandwich } from './sandwich_view.js';
import { chooseColors } from './packages.js';
import { dataOfSamples } from './samples.js';
import { createThreadControl } from './thread_control.js';
import { createTimeControl, duringText, timeOf } from './time_control.js';

const THEMES = ['auto', 'light', 'dark'];

// The views of a model, as `show`, which shows the one that the address names.
function createSite(model) {
  const content = document.getElementById('content');
  const openMethod = (method) => { location.hash = `#/method/${method.index}`; };
  const views = new Map([['overview', createOverview(model)]]);
  if (model.isDiff) views.set('changes', createChangesView(model));
  const colors = chooseColors(model);
  views.set('flame', createFlameView(model, colors, openMethod));
  if (model.events && !model.isDiff) views.set('events', createEventsView(model, openMethod));
  const groups = new Map();  // by kind, then by key
  views.set('methods', createListView(model, {list: 'methods', title: 'Methods', one: 'method', rows: model.methods}));
  for (const [kind, {list, title, one}] of Object.entries(GROUPS)) {
    groups.set(kind, groupMethods(model, kind));
    const rows = [...groups.get(kind).values()].map((group) => ({...group, href: groupHref(kind, group.key)}));
    views.set(list, createListView(model, {list, title, one, many: list, rows}));
  }

  const classesOf = (name) => [...groups.get('class').values()].filter((group) => group.package === name)
    .map((group) => ({...group, href: groupHref('class', group.key)}));
  const find = (index) => model.methods[Number(index)];
  // What a page is about, and how it is shown. Its list is the current one of the navigation.
  const pages = new Map([
    ['method', {list: 'methods', find, show: (...given) => showMethod(model, ...given)}],
    ['sandwich', {list: 'methods', find, show: createSandwich(model, colors, openMethod)}],
    ['class', {list: 'classes', find: (name) => groups.get('class').get(name), show: (group, into) => showGroup(model, 'class', group, group.members, into)}],
    ['package', {list: 'packages', find: (name) => groups.get('package').get(name),
      show: (group, into) => showGroup(model, 'package', group, classesOf(group.key), into)}]]);

  const profile = model.profiles[model.newest];
  document.getElementById('subject').textContent = model.isDiff ? `${model.profiles[0].file} → ${profile.file}` : programOf(profile);
  const links = new Map([...views].map(([name, view]) => [name, element('a', {href: `#/${name}`}, view.title)]));
  document.getElementById('views').replaceChildren(...links.values());

  return function show() {
    const {view: name, argument, state} = readAddress();
    const page = pages.get(name);
    const subject = page?.find(argument);
    const view = views.get(name) ?? (subject ? null : views.get('overview'));
    document.getElementById('tip').hidden = true;
    content.replaceChildren();
    content.className = view ? '' : 'method-page';
    if (view) {
      view.show(content, state);
    } else {
      page.show(subject, content, state);
    }
    document.title = `${view ? view.title : subject.short} – ${programOf(profile)} – iprof report`;
    for (const [key, link] of links) {
      const isCurrent = view ? views.get(key) === view : key === page.list;
      if (isCurrent) link.setAttribute('aria-current', view ? 'page' : 'true');
      else link.removeAttribute('aria-current');
    }
  };
}

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  const content = document.getElementById('content');
  let show = createSite(readModel(data));
  let threads = data.threads ?? [];
  let seconds = data.seconds ?? [];  // fewer than two periods: there is nothing to choose
  const all = {thread: '', from: '', to: ''};
  let shown = all;
  const saysWhen = element('span', {role: 'status', class: 'dim'});

  function useSamples(samples) {
    shown = samples;
    const time = timeOf(seconds, samples.from, samples.to);
    show = createSite(readModel(dataOfSamples(data, threads.find(([name]) => name === samples.thread), time)));
    saysWhen.textContent = time ? `Samples of ${duringText(seconds, time)}; counts are of all of it.` : '';
    threadControl?.choose(samples.thread);
    timeControl?.choose(samples.from, samples.to);
  }

  function chooseSamples(samples) {
    useSamples(samples);
    keepSamples(samples);
    show();
  }

  // An address without samples, such as a link's, is that of those that are shown.
  function followAddress() {
    const named = readAddress().samples;
    const knows = {
      thread: (name) => threads.some(([thread]) => thread === name),
      from: (second) => seconds.length > 2 && timeOf(seconds, second, '') !== null,
      to: (second) => seconds.length > 2 && timeOf(seconds, '', second) !== null,
    };
    const wanted = {...shown};
    for (const [name, isKnown] of Object.entries(knows)) {
      if (named[name] !== undefined && isKnown(named[name])) wanted[name] = named[name];
    }
    if (Object.keys(all).some((name) => wanted[name] !== shown[name])) useSamples(wanted);
    if (Object.keys(all).some((name) => shown[name] !== '' && named[name] !== shown[name])) keepSamples(shown);
  }

  const theme = document.getElementById('theme');
  theme.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? 'auto') + 1) % THEMES.length];
    document.documentElement.dataset.theme = next;
    theme.textContent = `Theme: ${next}`;
  });
  const threadControl = threads.length === 0 ? null : createThreadControl(threads, (thread) => chooseSamples({...shown, thread}));
  const timeControl = seconds.length < 3 ? null : createTimeControl(seconds, (from, to) => chooseSamples({...shown, from, to}));
  const controls = [...(threadControl?.elements ?? []), ...(timeControl ? [...timeControl.elements, saysWhen] : [])];
  theme.before(...controls);
  // A page that is a comparison already has its two profiles.
  if (data.profiles.length === 1) {
    theme.before(...createCompareControl((name, profile) => {
      // The other profile's samples are of all threads and times.
      threads = [];
      seconds = [];
      shown = all;
      keepSamples(all);
      controls.forEach((each) => each.remove());
      show = createSite(readModel(compareWith(data, name, profile)));
      if (location.hash === '#/changes') show();
      else location.hash = '#/changes';
    }));
  }
  window.addEventListener('hashchange', () => {
    followAddress();
    show();
    window.scrollTo(0, 0);
    content.focus({preventScroll: true});
  });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    content.focus();
  });
  followAddress();
  show();
}

start();
