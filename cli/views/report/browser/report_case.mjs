// What the browser's tests share: one browser a file of tests, and what the tool says of the same profiles. REPORTS is a folder
// with reports and, beside each, that text as JSON: see java-tests/tests/report_page.py, which makes them.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, openReport } from './browser.mjs';

export const file = (name) => path.join(process.env.REPORTS, name);
export const json = (name) => JSON.parse(fs.readFileSync(file(name), 'utf8'));
export const whole = (number) => new Intl.NumberFormat('en-US').format(number);

export let browser;
before(async () => { browser = await openBrowser(); });
after(async () => { await browser.close(); });

// Runs a test on a freshly opened report; at its end the page must have done nothing wrong.
export function onReport(title, name, hash, run) {
  test(title, async () => {
    const page = await openReport(browser, file(name), hash);
    try {
      await run(page);
      assert.deepEqual(page.wrongs, []);
    } finally {
      await page.close();
    }
  });
}

export const textOf = (page, selector) => page.locator(selector).first().innerText();

// Goes from the list of methods to the page of one. The list follows the search a moment later, and a click while it is made
// again would be lost.
export async function openMethod(page, qualified, name) {
  await page.getByRole('searchbox', {name: 'Search'}).fill(qualified);
  await page.getByText('1 method', {exact: true}).waitFor();
  await page.getByRole('link', {name, exact: true}).click();
  await page.getByRole('heading', {level: 1, name}).waitFor();
}
