// Opens reports in Chromium, as a file and without a network, and notes everything that the page should not do.
//
// NODE_MODULES is the folder with playwright-core and axe-core (scripts/npm-get prints it).

import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.join(process.env.NODE_MODULES, 'from.js'));
const { chromium } = require('playwright-core');
const AXE = fs.readFileSync(require.resolve('axe-core'), 'utf8');

const FLAGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const WIDE = {width: 1440, height: 900};
export const NARROW = {width: 390, height: 844};

export function findChromium() {
  return [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
    .find((candidate) => candidate && fs.existsSync(candidate));
}

// A browser with its own new folder. options: colorScheme, viewport, bypassCSP.
export async function openBrowser(options = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'iprof-chromium-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: findChromium(), headless: true, args: FLAGS, viewport: WIDE, reducedMotion: 'reduce', ...options});
  return {
    context,
    async close() {
      await context.close();
      fs.rmSync(folder, {recursive: true, force: true});
    },
  };
}

// Opens a report; `page.wrongs` collects errors of scripts, of the policy, dialogs, and requests for anything but the file.
export async function openReport(browser, file, hash = '') {
  const page = await browser.context.newPage();
  page.wrongs = [];
  const url = pathToFileURL(file).href;
  page.on('console', (message) => { if (message.type() === 'error') page.wrongs.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => page.wrongs.push(`script: ${error.stack}`));
  page.on('dialog', (dialog) => { page.wrongs.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!request.url().startsWith(url)) page.wrongs.push(`request: ${request.url()}`); });
  await page.goto(url + hash);
  await page.waitForSelector('h1');
  return page;
}

// What axe-core finds wrong, one line each.
export async function accessibilityFindings(page) {
  await page.evaluate(AXE);
  const results = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations', 'incomplete']}));
  return results.violations.map((violation) => `${violation.id}: ${violation.help}: `
    + violation.nodes.slice(0, 3).map((node) => `${node.target.join(' ')} (${node.failureSummary.replace(/\s+/g, ' ')})`).join('; '));
}
