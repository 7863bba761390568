// What a test sees is the same when it is recorded.
import { expect, test } from '@playwright/test';

test('bodies are the original ones', async ({ page }) => {
  const script = page.waitForResponse('**/island.js**');
  const document = await page.goto('/island.html');
  expect(await document!.text()).toContain('<button id="menu">Menu</button>\n');
  expect(await document!.text()).not.toContain('__il');
  expect((await (await script).text()).startsWith("const menu = document.getElementById('menu');")).toBe(true);
});

test('requests of the recorder are not seen', async ({ page }) => {
  const seen: string[] = [];
  page.on('request', (request) => seen.push(new URL(request.url()).pathname));
  await page.route('**/*', (route) => {
    seen.push(new URL(route.request().url()).pathname);
    return route.continue();
  });
  await page.goto('/search.html');
  await page.evaluate(() => {
    // Code that is made at run time asks the recorder.
    new Function('return 1')();
    document.body.insertAdjacentHTML('beforeend', '<b onclick="void 0">b</b>');
  });
  await page.locator('b').click();
  expect(seen.filter((path) => path.includes('interloper'))).toEqual([]);
  expect(seen).toContain('/search.html');
});

test('a route changes a script, and an init script comes first', async ({ page }) => {
  await page.addInitScript(() => Object.assign(window, { first: !document.body }));
  await page.route('**/island.js**', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${await answer.text()}; globalThis.changed = true;` });
  });
  await page.goto('/island.html');
  await expect(page.locator('#menu')).toHaveAttribute('data-ready', 'yes');
  expect(await page.evaluate(() => [(window as any).first, (window as any).changed])).toEqual([true, true]);
});

test('a dialog is answered by the test', async ({ page }) => {
  await page.goto('/island.html');
  page.once('dialog', (dialog) => dialog.accept('yes'));
  expect(await page.evaluate(() => prompt('sure?'))).toBe('yes');
});

test('a frame of another origin', async ({ page, baseURL }) => {
  await page.goto('/island.html');
  const other = `${baseURL!.replace('127.0.0.1', 'localhost')}/island.html`;
  await page.evaluate((url) => {
    document.body.append(Object.assign(document.createElement('iframe'), { src: url }));
  }, other);
  await expect(page.frameLocator('iframe').locator('#menu')).toBeVisible();
});

test('a second context', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  await page.goto('/island.html');
  await expect(page.locator('#menu')).toHaveAttribute('data-ready', 'yes');
  await context.close();
});
