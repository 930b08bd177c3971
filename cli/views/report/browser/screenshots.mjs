// Pictures of a report: screenshots.mjs REPORT.html FOLDER [METHOD]. Each view in light and dark, wide and narrow. METHOD is a
// part of a method's name, for its page; otherwise the first method with bytecode, or the first one.

import fs from 'node:fs';
import path from 'node:path';
import { NARROW, WIDE, openBrowser, openReport } from './browser.mjs';
import { methodNumber } from './report_file.mjs';

const [report, folder, wanted = ''] = process.argv.slice(2);
fs.mkdirSync(folder, {recursive: true});

const method = methodNumber(report, wanted);
const views = {overview: '#/overview', flame: '#/flame', methods: '#/methods', classes: '#/classes', packages: '#/packages', method: `#/method/${method}`,
  sandwich: `#/sandwich/${method}`, changes: '#/changes'};
if (!fs.readFileSync(report, 'utf8').includes('"changes":')) delete views.changes;
for (const [theme, colorScheme] of [['light', 'light'], ['dark', 'dark']]) {
  for (const [size, viewport] of [['wide', WIDE], ['narrow', NARROW]]) {
    const browser = await openBrowser({colorScheme, viewport});
    for (const [view, hash] of Object.entries(views)) {
      const page = await openReport(browser, report, hash);
      await page.screenshot({path: path.join(folder, `${view}-${theme}-${size}.png`)});
      await page.close();
    }
    await browser.close();
  }
}
console.log(`${Object.keys(views).length * 4} pictures in ${folder}`);
