import { expect, test } from '@playwright/test';

test('flaky: one look with a clock of the test', async ({ page }) => {
  await page.clock.install();
  await page.goto('/clock.html');
  await page.locator('#save').click();
  await new Promise((done) => setTimeout(done, 400));
  expect(await page.locator('#saved').textContent()).toBe('saved');
});

test('twin: waits with a clock of the test', async ({ page }) => {
  await page.clock.install();
  await page.goto('/clock.html');
  await page.locator('#save').click();
  await expect(page.locator('#saved')).toHaveText('saved');
});
