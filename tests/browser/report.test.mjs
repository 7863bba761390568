// The HTML report of a hostile trace in a real browser without its own script: it runs no script of the trace, loads
// nothing, and shows every name as text. script/test writes the report to target/browser/hostile.html. What its
// script makes of it is tested in explorer.test.mjs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const address = new URL('../../target/browser/hostile.html', import.meta.url).href;

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.INTERLOPER_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
});
after(() => browser.close());

for (const colorScheme of ['light', 'dark'])
  test(`a hostile report does nothing, ${colorScheme}`, async () => {
    const viewport = { width: 1280, height: 900 };
    const page = await browser.newPage({ colorScheme, viewport, javaScriptEnabled: false });
    const requests = [];
    const complaints = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on('console', (message) => complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error}`));
    await page.goto(address, { waitUntil: 'networkidle' });
    // Handlers that wait for the pointer or the keyboard get their chance.
    for (const summary of await page.locator('summary').all()) await summary.click();
    await page.mouse.move(400, 400);
    await page.keyboard.press('Tab');

    const seen = await page.evaluate(() => ({
      pwned: window.pwned,
      actors: document.querySelectorAll(
        'script:not(#data, #app ~ script), img, svg, iframe, object, embed, form, input, link, base, video, audio, template',
      ).length,
      handlers: [...document.querySelectorAll('*')].flatMap((element) =>
        [...element.attributes].map((a) => a.name).filter((name) => name.startsWith('on')),
      ),
      away: [...document.querySelectorAll('[href], [src]')]
        .map((element) => element.getAttribute('href') ?? element.getAttribute('src'))
        .filter((target) => !target.startsWith('#')),
      dangling: [...document.querySelectorAll('a')].filter(
        (a) => !document.getElementById(a.getAttribute('href').slice(1)),
      ).length,
      marks: /[\u0000-\u0008\u000b-\u001f\u007f\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(
        document.title + document.getElementById('app').textContent,
      ),
      text: document.body.innerText,
      articles: document.querySelectorAll('article').length,
      wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      background: getComputedStyle(document.body).backgroundColor,
    }));
    assert.equal(seen.pwned, undefined, 'a script of the trace ran');
    assert.deepEqual(requests, [address], 'something else was loaded');
    assert.deepEqual(complaints, []);
    assert.equal(seen.actors, 0);
    assert.deepEqual(seen.handlers, []);
    assert.deepEqual(seen.away, []);
    assert.equal(seen.dangling, 0, 'a link leads nowhere');
    assert.equal(seen.marks, false, 'a character that acts is in the page');
    assert.ok(seen.articles > 10, `only ${seen.articles} groups`);
    assert.equal(seen.wide, false, 'the page scrolls sideways');
    for (const text of [
      '<script>window.pwned=1</script>',
      'onerror=window.pwned=1>',
      '\\u{202e}gpj.exe',
      '\\u{1b}[31mred',
      '</code></summary></details><h1>pwned</h1>',
    ]) {
      assert.ok(seen.text.includes(text), `not shown as text: ${text}`);
    }
    const dark = Math.max(...seen.background.match(/\d+/g).slice(0, 3).map(Number)) < 64;
    assert.equal(dark, colorScheme === 'dark', `background ${seen.background}`);
    await page.close();
  });
