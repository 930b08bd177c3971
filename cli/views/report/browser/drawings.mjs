// Pictures of a report for documents, as SVG, which is text: drawings.mjs REPORT.html FOLDER METHOD.
// Writes report-flame.svg and report-method.svg: what the browser shows at the top of these views, as it lays it out.

import fs from 'node:fs';
import path from 'node:path';
import { openBrowser, openReport } from './browser.mjs';
import { methodNumber } from './report_file.mjs';

const [report, folder, wanted] = process.argv.slice(2);
const WIDTH = 1200;

// Runs in the page: the elements that begin above `height`, and the style, as SVG. An SVG may contain HTML.
function drawing({width, height}) {
  for (const made of document.querySelectorAll('script, noscript, .skip, #tip')) made.remove();
  for (const made of [...document.querySelectorAll('main *')]) {
    const {top, width: wide} = made.getBoundingClientRect();
    if (top >= height || (made.classList.contains('frame') && wide < 2)) made.remove();
  }
  for (const made of document.querySelectorAll('body *')) {
    for (const name of ['href', 'tabindex', 'title', 'role', ...made.getAttributeNames().filter((each) => each.startsWith('aria-') && each !== 'aria-current')])
      made.removeAttribute(name);
  }
  // The widths of this layout, for a picture of any size.
  const style = document.querySelector('style').textContent.replace(/@media[^{]*\{([^{}]*\{[^}]*\})*\s*\}/g, '');
  const body = new XMLSerializer().serializeToString(document.body);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n`
    + `<style><![CDATA[\n${style}\n.pane { max-height: none; overflow: hidden; }\n]]></style>\n<foreignObject width="${width}" height="${height}">\n${body}\n</foreignObject>\n</svg>\n`;
}

const pictures = {flame: {hash: '#/flame', height: 620}, method: {hash: `#/method/${methodNumber(report, wanted)}`, height: 760}};
const browser = await openBrowser({colorScheme: 'light', viewport: {width: WIDTH, height: 900}, bypassCSP: true});
for (const [view, {hash, height}] of Object.entries(pictures)) {
  const page = await openReport(browser, report, hash);
  const file = path.join(folder, `report-${view}.svg`);
  fs.writeFileSync(file, await page.evaluate(drawing, {width: WIDTH, height}));
  console.log(`${file}: ${fs.statSync(file).size} bytes`);
  await page.close();
}
await browser.close();
