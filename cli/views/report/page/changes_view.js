// What differs between two profiles, the most important first.

import { append, breakable, element, table } from './dom.js';
import { count, percent, plural, points, shortType } from './format.js';

export function createChangesView(model) {
  const name = (change) => {
    if (change.place === '') return 'all monitors';
    const method = model.methods[change.method];
    if (!method) return element('span', {class: 'break'}, change.place);
    return [element('a', {href: `#/method/${change.method}`, title: change.place}, breakable(method.short)),
      change.table === 'calls' || change.scope !== '' ? '' : element('span', {class: 'dim'}, ` bci ${change.bci}`)];
  };
  const outcomes = (change) => change.outcomes.slice(0, 3).map(([title, before, after]) => element('div', {},
    element('span', {title}, change.table === 'branches' ? title : shortType(title)), ' ',
    element('span', {class: 'dim'}, percent(before)), ' → ', percent(after)));
  return {
    title: 'Changes',
    show(into) {
      into.append(element('h1', {}, 'Changes'));
      if (model.changes.length === 0) {
        into.append(element('p', {}, model.profiles[0].isDropped ? 'Nothing differs by more than 5 %.' : 'Nothing differs by more than 5 % and by more than chance explains.'));
        return;
      }
      const hidden = model.allChanges - model.changes.length;
      append(into,
        element('p', {class: 'dim'}, model.profiles[0].isDropped
          ? 'Some of this may be chance: iprof report --diff leaves out what chance explains. '
          : 'What chance and the length of the runs explain is left out. ',
           'Importance is the share of the table times the size of the change.'),
        table('Changes, the most important first', [
          {title: 'Importance', numeric: true}, {title: 'Table'}, {title: 'Where', class: 'break'}, {title: 'Before', numeric: true},
          {title: 'After', numeric: true}, {title: 'Δ points', numeric: true}, {title: 'Outcomes'}],
        model.changes.map((change) => [percent(change.importance, 2), [change.table, change.scope && element('span', {class: 'dim'}, ` ${change.scope}`)], name(change),
          element('span', {title: count(change.counts[0])}, percent(change.shares[0], 2)),
          element('span', {title: count(change.counts[1])}, percent(change.shares[1], 2)),
          points(change.shares[1] - change.shares[0]), outcomes(change)])),
        hidden > 0 ? element('p', {class: 'note'}, `… and ${plural(hidden, 'less important change')}.`) : '');
    },
  };
}
