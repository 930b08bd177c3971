// The report's page in a real browser: what its views let a user choose, links that keep it, and comparisons.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { openReport } from './browser.mjs';
import { browser, file, json, onReport, openMethod, textOf, whole } from './report_case.mjs';

onReport('a source or its bytecode alone has the whole width', 'shop.html', '#/methods', async (page) => {
  await openMethod(page, 'shop.Shop.price', 'Shop.price');
  const source = page.getByRole('region', {name: 'Source, Shop.java'});
  const bytecode = page.getByRole('region', {name: 'Bytecode'});
  const button = (name) => page.getByRole('button', {name, exact: true});
  const half = (await source.boundingBox()).width;
  assert.equal(await button('Both').getAttribute('aria-pressed'), 'true');
  await button('Source').click();
  assert.equal(await bytecode.isVisible(), false);
  assert.ok((await source.boundingBox()).width > 1.8 * half);
  const code = await source.locator('td.code').first().boundingBox();
  assert.ok(code.width > half, `${code.width} pixels for the text of a line`);
  await page.reload();
  await source.waitFor();
  assert.equal(await bytecode.isVisible(), false, 'the address has the choice');
  await button('Bytecode').click();
  assert.equal(await source.isVisible(), false);
  assert.equal(await bytecode.isVisible(), true);
});

onReport('bytecode fits its half of the page', 'shop.html', '#/methods', async (page) => {
  await page.setViewportSize({width: 1280, height: 800});
  for (const name of ['round', 'main', 'price']) {
    await page.evaluate(() => { location.hash = '#/methods'; });
    await openMethod(page, `shop.Shop.${name}`, `Shop.${name}`);
    const pane = page.getByRole('region', {name: 'Bytecode'});
    const [inner, whole, left, width] = await pane.evaluate((made) => [made.clientWidth, made.scrollWidth, made.getBoundingClientRect().left, innerWidth]);
    assert.ok(left > width / 2, `${name} is in the right half`);
    assert.ok(whole <= inner, `${name}: ${whole} of ${inner} pixels`);
    assert.ok(inner > 500, `${name} has its half`);
  }
});

onReport('lines are coloured by what of them ran', 'shop.html', '#/methods', async (page) => {
  await openMethod(page, 'shop.Shop.price', 'Shop.price');
  const line = (text) => page.getByRole('region', {name: 'Source, Shop.java'}).locator('tbody tr', {hasText: text});
  for (const text of ['if (item % 10 == 0)', 'return 1;', 'return 10;']) assert.equal(await line(text).getAttribute('class'), 'cover-full', text);
  assert.equal(await line('return 1;').locator('td.line').getAttribute('title'), 'all of it ran');
  await page.getByRole('link', {name: 'Methods'}).first().click();
  await openMethod(page, 'shop.Shop.refund', 'Shop.refund');
  for (const [text, coverage] of [['if (item < 0)', 'part'], ['return 1;', 'none'], ['return 0;', 'full']])
    assert.equal(await line(text).getAttribute('class'), `cover-${coverage}`, text);
  assert.match(await page.getByRole('list', {name: 'Colours of lines'}).innerText(), /never ran/);
});

onReport('a link to the list of methods keeps what was chosen', 'shop.html', '#/methods', async (page) => {
  await page.getByRole('button', {name: 'My code'}).click();
  await page.getByRole('button', {name: 'Calls'}).click();
  await page.getByRole('button', {name: 'Calls'}).click();
  await page.getByRole('searchbox', {name: 'Search'}).fill('shop.Shop.');
  await page.waitForURL(/q=shop/);
  const rows = () => page.locator('table.methods tbody th').allInnerTexts();
  const before = await rows();
  assert.ok(before.length > 3);
  const other = await openReport(browser, file('shop.html'), new URL(page.url()).hash);
  assert.deepEqual(await other.locator('table.methods tbody th').allInnerTexts(), before);
  assert.equal(await other.getByRole('searchbox').inputValue(), 'shop.shop.');
  assert.equal(await other.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending');
  await other.close();
});

onReport('a link to the flame graph keeps zoom, search and direction', 'shop.html', '#/flame', async (page) => {
  await page.getByRole('button', {name: 'Inverted'}).click();
  await page.getByRole('searchbox', {name: 'Search'}).fill('shop.Shop');
  await page.locator('.frame.found').first().click();
  const hash = new URL(page.url()).hash;
  assert.match(hash, /inverted=1/);
  assert.match(hash, /zoom=\d/);
  const labels = (of) => of.locator('.frame').evaluateAll((frames) => frames.map((frame) => `${frame.getAttribute('aria-label')} ${frame.className}`));
  const other = await openReport(browser, file('shop.html'), hash);
  assert.deepEqual(await labels(other), await labels(page));
  assert.equal(await other.getByRole('button', {name: 'Inverted'}).getAttribute('aria-pressed'), 'true');
  assert.equal(await other.locator('.toolbar [role=status]').innerText(), await page.locator('.toolbar [role=status]').innerText());
  await other.close();
});

test('a broken address shows the view as it is without', async () => {
  for (const [hash, heading] of [['#/methods?sort=__proto__&package=none&own=x', 'Methods'], ['#/flame?zoom=9.9.x&old=1', 'Flame graph'],
    ['#/method/0?show=constructor', ''], ['#/nothing?q=%', 'shop.Shop']]) {
    const page = await openReport(browser, file('shop.html'), hash);
    assert.ok((await textOf(page, 'h1')).includes(heading), hash);
    assert.deepEqual(page.wrongs, [], hash);
    await page.close();
  }
});

test('a page says what its profile lacks', async () => {
  for (const [name, said] of [['empty', 'no counts and no samples'], ['counts', 'no samples'], ['samples', 'no counts']]) {
    for (const hash of ['#/overview', '#/methods', '#/flame']) {
      const page = await openReport(browser, file(`${name}.html`), hash);
      const text = await textOf(page, 'main');
      const mayLack = name === 'samples' && hash === '#/flame';  // it shows the samples
      assert.equal(text.includes(`This profile has ${said}.`), !mayLack, `${name} ${hash}: ${text}`);
      assert.deepEqual(page.wrongs, []);
      await page.close();
    }
  }
  const page = await openReport(browser, file('shop.html'));
  assert.doesNotMatch(await textOf(page, 'main'), /This profile has no/);
  await page.close();
});

onReport('each package has a colour, and the legend names it', 'packages.html', '#/flame', async (page) => {
  const colors = await page.locator('.frame:not(.whole)').evaluateAll((frames) => frames.map((frame) => getComputedStyle(frame).backgroundColor));
  assert.equal(colors.length, 40);
  assert.ok(colors.every((color) => Math.max(...color.match(/\d+/g)) - Math.min(...color.match(/\d+/g)) > 8), `a grey one in ${colors}`);
  assert.equal(new Set(colors).size, 36, 'twelve hues in three tones');
  const legend = page.getByRole('list', {name: 'Colours of packages'});
  assert.equal(await legend.locator('li').count(), 20);
  // The legend and the frame of a package have one colour.
  const first = legend.locator('li').first();
  const inLegend = await first.locator('.swatch').evaluate((swatch) => [swatch.style.getPropertyValue('--hue'), swatch.className.split(' ').pop()]);
  const number = /part(\d+)$/.exec(await first.innerText())[1];
  const frames = await page.locator('.frame:not(.whole)').evaluateAll((made) => made.map((frame) => [frame.style.getPropertyValue('--hue'), frame.className.split(' ')[1]]));
  assert.deepEqual(frames[39 - Number(number)], inLegend);
  await page.getByText('20 more packages').click();
  assert.equal(await page.getByRole('list', {name: 'Colours of more packages'}).locator('li').count(), 20);
});

onReport('a sandwich has callers above and callees below', 'diff.html', '#/methods', async (page) => {
  await openMethod(page, 'a.Main.loop', 'Main.loop');
  await page.getByRole('link', {name: 'Callers and callees as flame graphs'}).click();
  await page.getByRole('tree', {name: 'Callers'}).waitFor();
  const frames = (name) => page.getByRole('tree', {name}).locator('.frame').evaluateAll((made) => made.map((frame) => ({
    label: frame.getAttribute('aria-label'), top: frame.offsetTop, width: Math.round(1000 * frame.offsetWidth / frame.parentElement.offsetWidth)})));
  // 79, 1 and 20 samples of the new profile, all below main and loop.
  const callers = await frames('Callers');
  assert.deepEqual(callers.map((frame) => frame.label.split(',')[0]), ['Main.loop', 'Main.main']);
  assert.ok(callers[0].top > callers[1].top, 'callers are above');
  for (const frame of callers) assert.match(frame.label, /100\.0 % of its samples, .* 100 samples/);
  const callees = await frames('Callees');
  assert.match(callees[0].label, /^Main\.loop, 100\.0 %/);
  assert.match(callees[1].label, /^Circle\.area, 79\.0 % of its samples, .* 79 samples/);
  assert.ok(callees[1].top > callees[0].top, 'callees are below');
  assert.ok(Math.abs(callees[1].width - 790) < 5, `${callees[1].width} of 1000`);
  // By keyboard: up is to the callers.
  await page.getByRole('tree', {name: 'Callers'}).locator('[tabindex="0"]').focus();
  await page.keyboard.press('ArrowUp');
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Main\.main/);
  await page.getByRole('tree', {name: 'Callees'}).locator('.frame', {hasText: 'Circle.area'}).click();
  assert.match(page.url(), /callees=\d/);
  await page.reload();
  await page.getByRole('tree', {name: 'Callees'}).waitFor();
  const zoomed = (await frames('Callees')).find((frame) => frame.label.startsWith('Circle.area'));
  assert.equal(zoomed.width, 1000);
});

onReport('the hot set is the list that an image build would call hot', 'shop.html', '#/overview', async (page) => {
  const hot = json('shop-show.json').hot_set;
  await page.getByRole('link', {name: 'Show them'}).click();
  await page.getByRole('heading', {level: 1, name: 'Methods'}).waitFor();
  assert.equal((await page.locator('.toolbar [role=status]').innerText()).split(',')[0], `${whole(hot.methods)} method${hot.methods === 1 ? '' : 's'}`);
  assert.match(await textOf(page, 'main'), new RegExp(`${whole(hot.methods)} methods? make 99\\.9 % of the weight`));
  const names = await page.locator('table.methods tbody th').allInnerTexts();
  assert.ok(names.some((name) => name.startsWith('Shop.price')), String(names));
  await page.getByRole('button', {name: 'Hot set'}).click();
  assert.match(await page.locator('.toolbar [role=status]').innerText(), /^1,\d+ methods/);
});

onReport('classes and packages have totals, and pages', 'diff.html', '#/classes', async (page) => {
  const figures = async (selector) => Object.fromEntries(await page.locator(selector).evaluateAll((rows) => rows.map((row) => [
    row.querySelector('a').textContent, [...row.querySelectorAll('td')].map((cell) => cell.title || cell.firstElementChild?.title || cell.textContent)])));
  const classes = await figures('table.methods tbody tr');
  // The new profile has 79 samples in Circle, 1 in Square and 20 in Main.loop; main and loop are on all stacks.
  assert.deepEqual(Object.keys(classes), ['Circle', 'Main', 'Square']);
  assert.deepEqual([classes.Circle[0], classes.Main[0], classes.Main[2], classes.Square[0]], ['79', '20', '100', '1']);
  await page.getByRole('link', {name: 'Packages'}).click();
  await page.getByRole('heading', {level: 1, name: 'Packages'}).waitFor();
  assert.deepEqual((await figures('table.methods tbody tr')).a.filter((_, index) => index % 2 === 0).slice(0, 3), ['100', '100', '809']);
  await page.getByRole('link', {name: 'a', exact: true}).click();
  await page.getByRole('heading', {level: 2, name: '3 classes'}).waitFor();
  assert.equal(await page.locator('dt:text-is("Samples in it") + dd').getAttribute('title'), '100');
  await page.getByRole('link', {name: 'Main', exact: true}).click();
  await page.getByRole('heading', {level: 2, name: '2 methods'}).waitFor();
  assert.equal(await page.locator('dt:text-is("In it or below") + dd').getAttribute('title'), '100');
  await page.getByRole('link', {name: 'Main.loop'}).click();
  await page.getByRole('heading', {level: 1, name: 'Main.loop'}).waitFor();
});

// What a comparison shows: the frames of both sides, and the rows of the methods.
async function comparisonOf(page) {
  await page.getByRole('link', {name: 'Flame graph'}).click();
  await page.waitForSelector('.frame');
  const frames = () => page.locator('.frame').evaluateAll((made) => made.map((frame) => `${frame.getAttribute('aria-label')} ${frame.className} ${frame.style.width}`).sort());
  const recent = await frames();
  await page.getByRole('button', {name: 'Widths of the old profile'}).click();
  const old = await frames();
  await page.getByRole('link', {name: 'Methods'}).click();
  await page.waitForSelector('table.methods');
  const methods = await page.locator('table.methods tbody tr').allInnerTexts();
  await openMethod(page, 'a.Main.loop', 'Main.loop');
  const branches = await page.getByRole('region', {name: 'Branches'}).innerText();
  const receivers = await page.getByRole('region', {name: 'Receivers'}).innerText();
  return {recent, old, methods: methods.sort(), branches, receivers};
}

for (const name of ['old.iprof', 'old.iprof.gz', 'split.iprof']) {
  onReport(`${name} on the page makes the comparison that --diff writes`, 'new.html', '#/methods', async (page) => {
    await page.locator('input[type=file]').setInputFiles(file(name));
    await page.getByRole('heading', {level: 1, name: 'Changes'}).waitFor();
    assert.match(await textOf(page, 'main'), /90\.0 % → 10\.0 %/);
    const made = await comparisonOf(page);
    const other = await openReport(browser, file('diff.html'));
    assert.deepEqual(made, await comparisonOf(other));
    await other.close();
  });
}

onReport('a thread that is chosen holds for all views, and a link keeps it', 'threads.html', '#/methods', async (page) => {
  const figures = async (of = page) => Object.fromEntries(await of.locator('table.methods tbody tr').evaluateAll((rows) => rows.map((row) => [
    row.querySelector('a').textContent, [...row.querySelectorAll('td')].map((cell) => cell.title)])));
  const select = page.getByRole('combobox', {name: 'Thread'});
  assert.deepEqual(await select.locator('option').allInnerTexts(), ['All threads', 'pool-*-thread-* (66.7 %)', 'main <b> (33.3 %)']);
  // Self, total, calls, branches.
  assert.deepEqual((await figures())['Main.loop'], ['30', '90', '9', '100']);
  assert.deepEqual((await figures())['Main.main'], ['1', '91', '0', '0']);
  await select.selectOption('pool-*-thread-*');
  assert.deepEqual((await figures())['Main.loop'], ['20', '60', '9', '100']);
  assert.deepEqual((await figures())['Square.area'].slice(0, 2), ['0', '0']);
  assert.deepEqual((await figures())['Circle.area'].slice(0, 2), ['40', '40']);
  await page.getByRole('link', {name: 'Flame graph'}).click();
  await page.waitForSelector('.frame');
  const labels = () => page.locator('.frame').evaluateAll((frames) => frames.map((frame) => frame.getAttribute('aria-label')));
  assert.ok((await labels()).some((label) => label.startsWith('Circle.area') && label.includes('66.7 %')), String(await labels()));
  assert.ok(!(await labels()).some((label) => label.startsWith('Square')));
  assert.match(page.url(), /thread=pool/);
  const other = await openReport(browser, file('threads.html'), new URL(page.url()).hash);
  assert.deepEqual(await other.locator('.frame').evaluateAll((frames) => frames.map((frame) => frame.getAttribute('aria-label'))), await labels());
  assert.equal(await other.getByRole('combobox', {name: 'Thread'}).inputValue(), 'pool-*-thread-*');
  await other.close();
  // Callers and callees; recursion counts once.
  await page.getByRole('link', {name: 'Methods'}).click();
  await openMethod(page, 'a.Main.loop', 'Main.loop');
  const rows = async (name) => page.getByRole('region', {name}).locator('tbody tr').allInnerTexts();
  assert.match((await rows('Callers'))[0], /Main\.main.*60/s);
  assert.match((await rows('Callees'))[0], /Circle\.area.*40/s);
  await select.selectOption('main <b>');
  assert.match((await rows('Callees')).join(), /Square\.area.*20/s);
  await select.selectOption('');
  assert.doesNotMatch(page.url(), /thread=/);
  assert.match((await rows('Callers'))[0], /Main\.main.*90/s);
  await page.locator('input[type=file]').setInputFiles(file('old.iprof'));
  await page.getByRole('heading', {level: 1, name: 'Changes'}).waitFor();
  assert.equal(await select.count(), 0);
});

onReport('a time that is chosen holds for all views and for a thread, and a link keeps it', 'times.html', '#/methods', async (page) => {
  const figures = async (of = page) => Object.fromEntries(await of.locator('table.methods tbody tr').evaluateAll((rows) => rows.map((row) => [
    row.querySelector('a').textContent, [...row.querySelectorAll('td')].slice(0, 3).map((cell) => cell.title)])));
  const [from, to] = ['Samples from', 'to'].map((name) => page.getByRole('combobox', {name, exact: true}));
  assert.deepEqual(await from.locator('option').allInnerTexts(), ['start', '1 s', '8 s', '12 s']);
  assert.deepEqual(await to.locator('option').allInnerTexts(), ['end', '1 s', '8 s', '12 s']);
  assert.equal((await figures())['Main.loop'].join(), '30,90,9');
  // With the keyboard.
  await to.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await to.inputValue(), '8');
  assert.deepEqual(await figures().then((of) => [of['Circle.area'], of['Square.area'], of['Main.loop']].map((each) => each.join())), ['40,40,400', '0,0,200', '15,55,9']);
  assert.match(await textOf(page, 'header'), /Samples of seconds 0 to 8 of the recording; counts are of all of it\./);
  // Of a thread in that time.
  await page.getByRole('combobox', {name: 'Thread'}).selectOption('main <b>');
  assert.match(await textOf(page, 'main'), /There are no samples of this thread in this time\./);
  await from.selectOption('8');  // the other end gives way
  assert.equal(await to.inputValue(), '');
  assert.deepEqual(await figures().then((of) => [of['Circle.area'], of['Square.area']].map((each) => each.join())), ['0,0,400', '20,20,200']);
  await page.getByRole('combobox', {name: 'Thread'}).selectOption('');
  await page.getByRole('link', {name: 'Flame graph'}).click();
  await page.waitForSelector('.frame');
  const labelsOf = (of) => of.locator('.frame').evaluateAll((frames) => frames.map((frame) => frame.getAttribute('aria-label')));
  const labels = await labelsOf(page);
  assert.ok(labels.some((label) => label.startsWith('Square.area') && label.includes('57.1 %')), String(labels));  // 20 of 35
  assert.ok(!labels.some((label) => label.startsWith('Circle')), String(labels));
  assert.match(page.url(), /from=8/);
  const other = await openReport(browser, file('times.html'), new URL(page.url()).hash);
  assert.deepEqual(await labelsOf(other), labels);
  assert.match(await textOf(other, 'header'), /Samples of seconds 8 to 16 of the recording/);
  await other.close();
  const odd = await openReport(browser, file('times.html'), '#/flame?from=5&to=x');
  assert.ok((await labelsOf(odd)).some((label) => label.startsWith('Circle')));
  await odd.close();
  await page.getByRole('link', {name: 'Overview'}).click();
  assert.match(await textOf(page, 'main'), /seconds 8 to 16 of the recording: samples are of it alone/);
  await from.selectOption('');
  assert.doesNotMatch(page.url(), /from=/);
  await page.locator('input[type=file]').setInputFiles(file('old.iprof'));
  await page.getByRole('heading', {level: 1, name: 'Changes'}).waitFor();
  assert.equal(await from.count() + await to.count(), 0);
});

onReport('a profile that does not know times offers none', 'threads.html', '#/overview', async (page) => {
  assert.equal(await page.getByRole('combobox', {name: 'Samples from'}).count(), 0);
});

onReport('allocations and waits have flame graphs, classes and threads of their own', 'events.html', '#/overview', async (page) => {
  await page.getByRole('link', {name: 'Allocations and locks'}).click();
  await page.getByRole('heading', {level: 1, name: 'Allocations and locks'}).waitFor();
  const select = page.getByRole('combobox', {name: 'Show'});
  assert.deepEqual(await select.locator('option').allInnerTexts(), ['10.0 MB allocated', '100,070 objects allocated',
    '3.0 MB alive after the last collection', '100,000 objects alive after the last collection', '5.0 ms waited for locks', '2 waits for locks']);
  const labels = (of = page) => of.locator('.frame').evaluateAll((frames) => frames.map((frame) => frame.getAttribute('aria-label')));
  const rows = (name) => page.getByRole('region', {name, exact: true}).locator('tbody tr').allInnerTexts();
  assert.deepEqual((await labels()).map((label) => label.replace(/, mostly.*/, '')), ['All bytes, 100.0 % of the bytes, 10.0 MB',
    'Main.loop, 100.0 % of the bytes, 10.0 MB', 'Arrays.copyOf, 70.0 % of the bytes, 7.0 MB', 'byte[], 70.0 % of the bytes, 7.0 MB',
    'Circle, 30.0 % of the bytes, 3.0 MB']);
  assert.match((await rows('Classes'))[0], /byte\[\].*70\.0 %.*7\.0 MB.*80 %/s);
  assert.match((await rows('Threads'))[0], /pool-\*-thread-\*.*70\.0 %.*7\.0 MB.*80 %/s);
  assert.match(await textOf(page, '#content'), /Estimated from 20 samples: the sum is right within 67 %/);
  await page.getByRole('searchbox', {name: 'Search'}).fill('copyOf');
  await page.getByText(/^70\.0 % of the bytes have “copyof” on their stack/).waitFor();
  await select.selectOption('lock-time');
  await page.locator('.frame[aria-label^="All time"]').waitFor();
  assert.match((await rows('Classes'))[0], /a\.<b>Lock.*5\.0 ms/s);
  assert.doesNotMatch(await textOf(page, '#content'), /Estimated/);
  // What is in the samples, too, has a page; classes have none.
  await page.locator('.frame', {hasText: '<b>Lock'}).click();
  assert.equal(await page.locator('.frame-detail a').count(), 0);
  const other = await openReport(browser, file('events.html'), new URL(page.url()).hash);
  assert.deepEqual(await labels(other), await labels());
  await other.close();
  await select.selectOption('alloc-bytes');
  await page.getByRole('searchbox', {name: 'Search'}).fill('');
  await page.locator('.frame', {hasText: 'Main.loop'}).click();
  await page.locator('.frame-detail').getByRole('link', {name: 'Main.loop'}).click();
  await page.getByRole('heading', {level: 1, name: 'Main.loop'}).waitFor();
});

onReport('an outcome that the page has left out is not compared', 'many.html', '#/methods', async (page) => {
  await page.locator('input[type=file]').setInputFiles(file('many.iprof'));
  await page.getByText('Nothing differs by more than 5 %.').waitFor();
  await page.getByRole('link', {name: 'Methods'}).click();
  await openMethod(page, 'a.Main.loop', 'Main.loop');
  const rows = await page.getByRole('region', {name: 'Receivers'}).locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, 13);
  assert.match(rows[12], /8 more/);
});

onReport('a profile is dropped on the page, and another file is refused', 'new.html', '#/overview', async (page) => {
  const drop = (name, text) => page.evaluate(([title, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], title));
    document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
  }, [name, text]);
  const tooDeep = {types: [{id: 1, name: 'A'}], methods: [{id: 1, name: 'f', signature: [1, 1]}],
    samplingProfiles: [{ctx: Array(100_000).fill('1:0').join('<'), records: [1]}]};
  for (const text of ['no JSON', '{}', '{"types":[],"methods":[],"callCountProfiles":[{"ctx":"7:0","records":[1]}]}', '', JSON.stringify(tooDeep)]) {
    await drop('broken.iprof', text);
    await page.getByText('broken.iprof is no profile that this page can read.').waitFor();
    assert.equal(await page.getByRole('link', {name: 'Changes'}).count(), 0);
    await drop('inclusive.iprof', '{"iprofagent":{"contexts":{"form":"inclusive"}}}');
    await page.getByText('has counts in the inclusive form').waitFor();
  }
  await drop('old.iprof', fs.readFileSync(file('old.iprof'), 'utf8'));
  await page.getByRole('heading', {level: 1, name: 'Changes'}).waitFor();
  assert.equal(await textOf(page, '#subject'), 'old.iprof → new.iprof');
  await page.getByRole('link', {name: 'Overview'}).click();
  await page.getByRole('heading', {level: 1, name: 'old.iprof → new.iprof'}).waitFor();
});
