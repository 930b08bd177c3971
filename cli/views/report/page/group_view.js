// The page of a class or package: its totals, and the classes or methods in it, the heaviest first.

import { percentCell } from './cells.js';
import { append, breakable, element, table } from './dom.js';
import { count, percent, plural, share, shortCount } from './format.js';
import { GROUPS, groupHref } from './groups.js';
import { MEASURES } from './model.js';

const TITLES = {calls: 'Calls', self: 'Samples in it', total: 'In it or below', branches: 'Branch executions', receivers: 'Calls with receivers'};
const MOST_MEMBERS = 200;

// `members` are what the group has: {short, text, href} with figures.
export function showGroup(model, kind, group, members, into) {
  const newest = model.newest;
  const measures = MEASURES.filter((measure) => group[measure][newest] > 0);
  const figure = (measure) => element('div', {class: 'fact'}, element('dt', {}, TITLES[measure]),
    element('dd', {title: count(group[measure][newest])}, shortCount(group[measure][newest]),
      element('span', {class: 'dim'}, ` ${percent(model.shareOf(group, measure))}`)));
  const weight = (member) => Math.max(...measures.map((measure) => share(member[measure][newest], group[measure][newest])));
  const ordered = [...members].sort((a, b) => weight(b) - weight(a) || (a.text < b.text ? -1 : 1));
  const noun = kind === 'package' ? ['class', 'classes'] : ['method'];
  append(into,
    element('p', {class: 'crumbs'}, element('a', {href: `#/${GROUPS[kind].list}`}, GROUPS[kind].title),
      kind === 'class' ? [' / ', element('a', {href: groupHref('package', group.package)}, group.package)] : ''),
    element('h1', {class: 'break'}, breakable(group.short)),
    element('dl', {class: 'facts card'}, measures.map(figure)),
    element('h2', {}, plural(members.length, ...noun)),
    table(`What this ${GROUPS[kind].one} has`, [{title: kind === 'package' ? 'Class' : 'Method', class: 'name'},
      ...measures.map((measure) => ({title: TITLES[measure], numeric: true}))],
    ordered.slice(0, MOST_MEMBERS).map((member) => [element('a', {href: member.href, title: member.text}, breakable(member.short)),
      ...measures.map((measure) => element('span', {title: count(member[measure][newest])}, percentCell(model.shareOf(member, measure))))])),
    members.length > MOST_MEMBERS ? element('p', {class: 'dim'}, `… and ${count(members.length - MOST_MEMBERS)} with less`) : '',
    model.cut.methods < model.cut.all_methods ? element('p', {class: 'note'}, 'These are sums of what this page has; it leaves out the least important methods.') : '');
}
