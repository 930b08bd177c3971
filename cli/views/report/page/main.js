// Shows the view that the address names: #/overview, #/flame, #/methods, #/method/12, #/sandwich/12, #/changes. Behind a question mark is the
// state of the view (address.js).

import { readAddress } from './address.js';
import { element } from './dom.js';
import { createChangesView } from './changes_view.js';
import { createFlameView } from './flame_view.js';
import { createMethodsView } from './methods_view.js';
import { createOverview, programOf } from './overview_view.js';
import { readModel } from './model.js';
import { showMethod } from './method_view.js';
import { createSandwich } from './sandwich_view.js';
import { chooseColors } from './packages.js';

const THEMES = ['auto', 'light', 'dark'];

function start() {
  const model = readModel(document.getElementById('data').textContent);
  const content = document.getElementById('content');
  const openMethod = (method) => { location.hash = `#/method/${method.index}`; };
  const views = new Map([['overview', createOverview(model)]]);
  if (model.isDiff) views.set('changes', createChangesView(model));
  const colors = chooseColors(model);
  views.set('flame', createFlameView(model, colors, openMethod));
  views.set('methods', createMethodsView(model));

  const pages = new Map([['method', (...given) => showMethod(model, ...given)], ['sandwich', createSandwich(model, colors, openMethod)]]);

  const profile = model.profiles[model.newest];
  document.getElementById('subject').textContent = model.isDiff ? `${model.profiles[0].file} → ${profile.file}` : programOf(profile);
  const links = new Map([...views].map(([name, view]) => [name, element('a', {href: `#/${name}`}, view.title)]));
  document.getElementById('views').append(...links.values());

  function show() {
    const {view: name, argument, state} = readAddress();
    const method = pages.has(name) ? model.methods[Number(argument)] : undefined;
    const view = views.get(name) ?? (method ? null : views.get('overview'));
    document.getElementById('tip').hidden = true;
    content.replaceChildren();
    content.className = view ? '' : 'method-page';
    if (view) {
      view.show(content, state);
    } else {
      pages.get(name)(method, content, state);
    }
    document.title = `${view ? view.title : method.short} – ${programOf(profile)} – iprof report`;
    for (const [key, link] of links) {
      const isCurrent = view ? views.get(key) === view : key === 'methods';
      if (isCurrent) link.setAttribute('aria-current', view ? 'page' : 'true');
      else link.removeAttribute('aria-current');
    }
  }

  const theme = document.getElementById('theme');
  theme.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? 'auto') + 1) % THEMES.length];
    document.documentElement.dataset.theme = next;
    theme.textContent = `Theme: ${next}`;
  });
  window.addEventListener('hashchange', () => {
    show();
    window.scrollTo(0, 0);
    content.focus({preventScroll: true});
  });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    content.focus();
  });
  show();
}

start();
