// The report's page in a real browser: its figures against those of the tool, safety, accessibility, sizes.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { NARROW, accessibilityFindings, openBrowser, openReport } from './browser.mjs';
import { browser, file, json, onReport, openMethod, textOf, whole } from './report_case.mjs';

const percent = (part, all) => `${(100 * part / all).toFixed(1)} %`;
const tableOf = (show, key) => show.tables.find((table) => table.table === key);

onReport('the overview has the totals of the profile', 'shop.html', '', async (page) => {
  const show = json('shop-show.json');
  const rows = await page.locator('section:has(h2:text-is("Tables")) tbody tr').allInnerTexts();
  const cells = new Map(rows.map((row) => row.split('\t').map((cell) => cell.trim())).map(([name, ...rest]) => [name, rest]));
  for (const [name, key] of [['calls', 'callCountProfiles'], ['branches', 'conditionalProfiles'],
    ['receivers', 'virtualInvokeProfiles'], ['samples', 'samplingProfiles'], ['monitors', 'monitorProfiles']]) {
    const table = tableOf(show, key);
    assert.equal(cells.get(name)[0], whole(table.total), name);
    assert.equal(cells.get(name)[1], whole(table.contexts), name);
  }
  assert.equal(await page.locator('.tile').filter({hasText: 'methods that ran'}).locator('dd').innerText(), whole(show.methods_that_ran));
  const hot = await page.locator('.fact').filter({has: page.locator('dt:text-is("Hot set")')}).locator('dd').innerText();
  assert.ok(hot.startsWith(`${whole(show.hot_set.methods)} of ${whole(show.hot_set.all_methods)} methods have 99.9 %`), hot);
  assert.ok(hot.includes(`${whole(show.hot_set.code_bytes)} of ${whole(show.hot_set.all_code_bytes)} bytes`), hot);
  assert.match(await textOf(page, 'main'), /shop\.Shop/);
  assert.match(await textOf(page, 'main'), /from the JVM’s start/);
  assert.match(await textOf(page, 'main'), /exact/);
  const fit = page.locator('table').filter({has: page.locator('caption:text-is("Fit to the class files by package")')});
  assert.match(await fit.innerText(), /shop\s+100\.0 %\s+100\.0 %/);
});

onReport('the flame graph is searched, zoomed and turned over', 'shop.html', '#/flame', async (page) => {
  const top = json('shop-top.json');
  const round = top.rows.find((row) => row.name.startsWith('shop.Shop.round('));
  await page.getByRole('searchbox', {name: 'Search'}).fill('shop.Shop.round');
  await page.getByText(/of the samples have “shop.shop.round”/).waitFor();
  assert.equal((await page.locator('.toolbar [role=status]').innerText()).split(' of the')[0], percent(round.total, top.samples));
  const found = page.locator('.frame.found').first();
  const before = (await found.boundingBox()).width;
  await found.click();
  const graph = (await page.locator('.flame').boundingBox()).width;
  const zoomed = page.locator('.frame.found').first();
  assert.ok(Math.abs((await zoomed.boundingBox()).width - graph) < 2, 'the zoomed frame is as wide as the graph');
  assert.ok(before <= graph);
  assert.match(await textOf(page, '.frame-detail'), new RegExp(whole(round.total)));
  await page.getByRole('button', {name: 'Reset zoom'}).click();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', {name: 'Inverted'}).click();
  const hottest = page.locator('.frame[aria-level="2"]').first();
  const label = await hottest.getAttribute('aria-label');
  const self = top.rows[0];
  assert.ok(label.includes(`${whole(self.self)} sample`), `${label} is not ${self.name} with ${self.self}`);
  assert.ok(label.includes(percent(self.self, top.samples)), label);
});

onReport('a tooltip has the share and the line', 'shop.html', '#/flame', async (page) => {
  await page.getByRole('searchbox').fill('shop.Shop.round');
  await page.locator('.frame.found').first().hover();
  const tip = await textOf(page, '#tip');
  assert.match(tip, /Shop\.round/);
  assert.match(tip, /%/);
  assert.match(tip, /line \d+/);
});

onReport('methods are sorted and filtered', 'shop.html', '#/methods', async (page) => {
  const show = json('shop-show.json');
  const hottest = tableOf(show, 'callCountProfiles').hottest_methods;
  const firstRow = () => page.locator('table.methods tbody tr').first();
  await page.getByRole('button', {name: 'Calls'}).click();
  assert.equal(await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'descending');
  const calls = 'td:nth-child(4)';
  assert.equal(await firstRow().locator(calls).getAttribute('title'), whole(hottest[0].count));
  await page.getByRole('button', {name: 'Calls'}).click();
  assert.equal(await page.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending');
  await page.getByRole('button', {name: 'Calls'}).click();
  await page.getByRole('button', {name: 'My code'}).click();
  const packages = await page.locator('table.methods tbody .package').allInnerTexts();
  assert.ok(packages.length > 3);
  assert.deepEqual([...new Set(packages)], ['shop']);
  const own = hottest.find((method) => method.method.startsWith('shop.'));
  assert.equal(await firstRow().locator(calls).getAttribute('title'), whole(own.count));
  await page.getByRole('button', {name: 'My code'}).click();
  await page.getByRole('combobox', {name: 'Package'}).selectOption('shop');
  assert.deepEqual([...new Set(await page.locator('table.methods tbody .package').allInnerTexts())], ['shop']);
  await page.getByRole('searchbox', {name: 'Search'}).fill('shop.Shop.price');
  await page.getByText('1 method', {exact: true}).waitFor();
});

onReport('a method’s page has the counts of the profile, bytecode and source', 'shop.html', '#/methods', async (page) => {
  await openMethod(page, 'shop.Shop.price', 'Shop.price');
  const [method] = json('shop-price.json').methods;
  assert.equal(await page.locator('dt:text-is("Calls") + dd').getAttribute('title'), whole(method.calls));
  const [place] = method.tables.conditionalProfiles;
  const successors = place.entries[0].record.successors;
  const total = successors.reduce((sum, successor) => sum + successor.count, 0);
  const text = await page.locator('table').filter({hasText: 'Goes to'}).innerText();
  for (const successor of successors) {
    assert.ok(text.includes(`bci ${successor.bci}`), text);
    assert.ok(text.includes(percent(successor.count, total)), text);
  }
  // The bytecode: the block behind the branch ran as often as the branch fell through.
  const rows = page.getByRole('region', {name: 'Bytecode'}).locator('tbody tr');
  const branch = rows.filter({hasText: /^.*\bif/}).first();
  assert.ok((await branch.innerText()).includes('taken'));
  const executions = await rows.filter({hasText: 'iconst_1'}).locator('td:nth-child(2)').getAttribute('title');
  assert.equal(executions, whole(Math.min(...successors.map((successor) => successor.count))));
  const source = page.getByRole('region', {name: 'Source, Shop.java'});
  assert.match(await source.innerText(), /if \(item % 10 == 0\)/);
  const line = source.locator('tr', {hasText: 'return 1;'});
  assert.equal(await line.locator('td:nth-child(2)').getAttribute('title'), executions);
});

onReport('a switch, receivers, callers and callees', 'shop.html', '#/methods', async (page) => {
  await openMethod(page, 'shop.Shop.round', 'Shop.round');
  const [method] = json('shop-round.json').methods;
  const site = method.tables.virtualInvokeProfiles.find((place) => place.consumer.receivers?.some((receiver) => receiver.type === 'shop.Shop$Circle'));
  const text = await page.locator('table').filter({has: page.locator('caption:text-is("Receivers")')}).innerText();
  assert.match(text, /Shop\$Circle\s*\.area/);
  for (const receiver of site.consumer.receivers) assert.ok(text.includes(`${(receiver.probability * 100).toFixed(1)} %`), text);
  const firstSource = page.getByRole('region', {name: 'Source, Shop.java'}).locator('tbody tr').first();
  assert.match(await firstSource.innerText(), /static long round/);
  const bytecode = await page.getByRole('region', {name: 'Bytecode'}).innerText();
  assert.match(bytecode, /invokeinterface\s+Shop\$Shape\.area\(\)\s+.*Shop\$Circle 75\.0 %/s);
  assert.match(bytecode, /monitorenter/);
  await page.getByRole('region', {name: 'Bytecode'}).getByRole('link', {name: 'Shop.weight(int)'}).click();
  await page.getByRole('heading', {level: 1, name: 'Shop.weight'}).waitFor();
  assert.match(await page.getByRole('region', {name: 'Bytecode'}).innerText(), /switch[\s\S]*1 → \d+ 25\.0 %[\s\S]*3 → \d+ 25\.0 %[\s\S]*default → \d+ 50\.0 %/);
});

onReport('type checks have the classes of the objects', 'shop.html', '#/methods', async (page) => {
  await openMethod(page, 'shop.Shop.corners', 'Shop.corners');
  const [method] = json('shop-corners.json').methods;
  const [place] = method.tables.instanceOfProfiles;
  const {types} = place.entries[0].record;
  assert.deepEqual(types.map((type) => type.type), ['shop.Shop$Circle', 'shop.Shop$Square']);
  const rows = page.locator('table').filter({has: page.locator('caption:text-is("Type checks")')}).locator('tbody tr');
  const total = types.reduce((sum, type) => sum + type.count, 0);
  for (const [index, type] of types.entries()) {
    const cells = await rows.nth(index).locator('td').allInnerTexts();
    assert.deepEqual([cells[0], cells[2], cells[3].trim()],
      [index === 0 ? String(place.bci) : '', type.type.split('.').pop(), percent(type.count, total)]);
    assert.equal(await rows.nth(index).locator('td:last-child span').getAttribute('title'), whole(type.count));
  }
  const instruction = page.getByRole('region', {name: 'Bytecode'}).locator('tbody tr').filter({hasText: 'instanceof'});
  assert.match(await instruction.innerText(), /Shop\$Circle 75\.0 %\s*Shop\$Square 25\.0 %/);
});

onReport('callers and callees have their calls, also static ones', 'shop.html', '#/methods', async (page) => {
  const [round] = json('shop-round.json').methods;
  const [price] = json('shop-price.json').methods;
  const site = round.tables.virtualInvokeProfiles.find((place) => place.entries[0].record.callee === 'shop.Shop$Shape.area');
  const circles = site.entries[0].record.types.find((type) => type.type === 'shop.Shop$Circle').count;
  const callsIn = async (caption, name) => page.locator('table').filter({has: page.locator(`caption:text-is("${caption}")`)})
    .locator('tbody tr').filter({has: page.getByRole('link', {name, exact: true})}).locator('td:last-child span').getAttribute('title');
  await openMethod(page, 'shop.Shop.round', 'Shop.round');
  assert.equal(await callsIn('Callees', 'Shop$Circle.area'), whole(circles));
  assert.equal(await callsIn('Callees', 'Shop.price'), whole(price.calls));
  assert.equal(await callsIn('Callers', 'Shop.main'), whole(round.calls));
  await page.getByRole('region', {name: 'Callees'}).getByRole('link', {name: 'Shop.price'}).click();
  await page.getByRole('heading', {level: 1, name: 'Shop.price'}).waitFor();
  assert.equal(await callsIn('Callers', 'Shop.round'), whole(price.calls));
});

onReport('the page is used by keyboard alone', 'shop.html', '', async (page) => {
  const focused = () => page.evaluate(() => document.activeElement.textContent + (document.activeElement.getAttribute('aria-label') ?? ''));
  const tabTo = async (pattern, most = 60) => {
    for (let i = 0; i < most; ++i) {
      await page.keyboard.press('Tab');
      if (pattern.test(await focused())) return;
    }
    assert.fail(`Tab never reached ${pattern}; it is at ${await focused()}`);
  };
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to content');
  await tabTo(/^Flame graph$/, 5);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {level: 1, name: 'Flame graph'}).waitFor();
  await tabTo(/^All samplesAll samples/);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).boxShadow);
  assert.notEqual(outline, 'none');
  await page.keyboard.press('ArrowDown');
  const outermost = await focused();
  assert.match(outermost, /of the samples/);
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await focused(), outermost);
  await page.keyboard.press('Enter');
  assert.equal(await page.getByRole('button', {name: 'Reset zoom'}).isDisabled(), false);
  const zoomed = await focused();
  await page.keyboard.press('Escape');
  assert.equal(await focused(), outermost);
  await page.keyboard.press('o');
  await page.getByRole('heading', {level: 1}).waitFor();
  assert.match(page.url(), /#\/method\/\d+$/);
  assert.ok(zoomed.length > 0);
  // Sort the methods, and open one.
  await page.keyboard.press('Shift+Tab');
  await tabTo(/^Methods$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {level: 1, name: 'Methods'}).waitFor();
  await tabTo(/^Calls/);
  await page.keyboard.press('Enter');
  assert.match(await focused(), /^Calls/);
  await tabTo(/\./);
  const name = await focused();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', {level: 1}).filter({hasText: name}).waitFor();
});

onReport('hostile names are text', 'hostile.html', '', async (page) => {
  const names = fs.readFileSync(file('hostile-names.txt'), 'utf8').split('\n').filter(Boolean);
  for (const hash of ['#/overview', '#/flame', '#/methods', '#/method/0', '#/method/1']) {
    await page.evaluate((next) => { location.hash = next; }, hash);
    await page.waitForTimeout(50);
  }
  await page.evaluate(() => { location.hash = '#/methods'; });
  await page.waitForSelector('table.methods');
  const titles = await page.locator('table.methods a').evaluateAll((links) => links.map((link) => link.title));
  for (const name of names) assert.ok(titles.some((title) => title.includes(name)), `${name} is not in ${titles}`);
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.equal(await page.locator('main img, main script, main b[onclick]').count(), 0);
});

test('the policy stops scripts, styles and requests that are not the page’s own', async () => {
  const page = await openReport(browser, file('shop.html'));
  const result = await page.evaluate(async () => {
    const tried = {};
    try { document.body.innerHTML += '<b>x</b>'; tried.html = 'allowed'; } catch (error) { tried.html = error.name; }
    const script = document.createElement('script');
    try { script.textContent = 'globalThis.hacked = 1'; document.body.append(script); } catch (error) { tried.script = error.name; }
    try { await fetch('data:text/plain,x'); tried.fetch = 'allowed'; } catch (error) { tried.fetch = error.name; }
    const style = document.createElement('style');
    style.textContent = 'body { color: rgb(1, 2, 3); }';
    document.body.append(style);
    return {...tried, hacked: globalThis.hacked, color: getComputedStyle(document.body).color};
  });
  assert.equal(result.html, 'TypeError');
  assert.equal(result.fetch, 'TypeError');
  assert.equal(result.hacked, undefined);
  assert.notEqual(result.color, 'rgb(1, 2, 3)');
  await page.close();
});

onReport('a comparison shows what changed', 'diff.html', '#/changes', async (page) => {
  const text = await page.locator('main').innerText();
  assert.match(text, /Main\.loop/);
  assert.match(text, /90\.0 % → 10\.0 %/);
  await page.getByRole('link', {name: 'Flame graph'}).click();
  await page.waitForSelector('.frame');
  const area = page.locator('.frame', {hasText: 'Circle.area'}).first();
  assert.match(await area.getAttribute('class'), /grew-[123]/);
  assert.match(await area.getAttribute('aria-label'), /\+\d+\.\d\d points/);
  await page.getByRole('button', {name: 'Widths of the old profile'}).click();
  assert.match(await page.locator('.frame', {hasText: 'Square.area'}).first().getAttribute('class'), /shrank-3/);
  await page.getByRole('link', {name: 'Methods'}).click();
  await page.getByRole('heading', {level: 1, name: 'Methods'}).waitFor();
  assert.equal(await page.getByRole('columnheader', {name: /^Δ/}).count(), 4);
});

onReport('a page that was cut says so', 'cut.html', '#/methods', async (page) => {
  const size = fs.statSync(file('cut.html')).size;
  assert.ok(size <= 1_050_000, `${size} bytes`);
  assert.match(await textOf(page, 'p.note'), /details of the [\d,]+ most important of [\d,]+ methods: .*% of the calls/);
  await page.getByRole('link', {name: 'Flame graph'}).click();
  await page.waitForSelector('.frame');
  assert.match(await textOf(page, 'p.note'), /largest of [\d,]+ frames/);
  assert.ok(await page.locator('.frame').count() > 50);
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe-core finds nothing, ${colorScheme}`, async () => {
    const own = await openBrowser({colorScheme, bypassCSP: true});
    try {
      for (const [name, hashes] of [['shop.html', ['#/overview', '#/flame', '#/methods', '#/method/0', '#/method/0?show=source', '#/sandwich/0', '#/classes', '#/packages', '#/package/shop', '#/class/shop.Shop']],
        ['diff.html', ['#/overview', '#/changes', '#/flame', '#/methods', '#/method/0', '#/sandwich/0']], ['cut.html', ['#/flame']],
        ['packages.html', ['#/flame']], ['threads.html', ['#/flame?thread=pool-*-thread-*']], ['times.html', ['#/flame?from=8', '#/overview?to=8']], ['empty.html', ['#/overview', '#/methods', '#/flame']]]) {
        for (const hash of hashes) {
          const page = await openReport(own, file(name), hash);
          assert.deepEqual(await accessibilityFindings(page), [], `${name}${hash}`);
          await page.close();
        }
      }
      const page = await openReport(own, file('shop.html'), '#/flame');
      await page.getByRole('searchbox').fill('shop');
      await page.waitForSelector('.frame.found');
      assert.deepEqual(await accessibilityFindings(page), [], 'search');
      await page.close();
    } finally {
      await own.close();
    }
  });
}

// Each figure of the first row is within the window.
async function checkFiguresAreVisible(page) {
  const cells = await page.locator('table.methods tbody tr').first().locator('td').evaluateAll((made) => made.map((cell) => {
    const {left, right, width} = cell.getBoundingClientRect();
    return {text: cell.textContent, left, right, width, needs: cell.scrollWidth};
  }));
  assert.equal(cells.length, 4);
  for (const cell of cells) assert.ok(cell.left >= 0 && cell.right <= NARROW.width && cell.needs <= Math.ceil(cell.width), JSON.stringify(cell));
}

test('tables of packages fit a window of 1280 pixels', async () => {
  const own = await openBrowser({viewport: {width: 1280, height: 800}});
  try {
    const page = await openReport(own, file('shop.html'));
    for (const name of ['Fitness for an image build by package', 'Fit to the class files by package']) {
      const region = page.getByRole('region', {name});
      const [needs, has] = await region.evaluate((made) => [made.scrollWidth, made.clientWidth]);
      assert.ok(needs <= has, `${name} needs ${needs} pixels and has ${has}`);
      const names = await region.locator('tbody td:first-child').evaluateAll((cells) => cells.map((cell) => [cell.textContent, cell.clientHeight]));
      for (const [text, height] of names) assert.ok(height < 40 || text.length > 25, `${text} takes ${height} pixels`);
    }
    await page.close();
  } finally {
    await own.close();
  }
});

test('nothing is wider than a phone', async () => {
  const own = await openBrowser({viewport: NARROW});
  try {
    for (const hash of ['#/overview', '#/flame', '#/methods', '#/method/0', '#/sandwich/0', '#/packages', '#/class/shop.Shop']) {
      const page = await openReport(own, file('shop.html'), hash);
      if (hash === '#/methods') await checkFiguresAreVisible(page);
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= window, `${hash} is ${wide} pixels wide, the window ${window}`);
      await page.close();
    }
  } finally {
    await own.close();
  }
});
