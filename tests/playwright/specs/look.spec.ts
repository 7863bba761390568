import { expect, test } from '@playwright/test';

test('flaky: one look before the answer', async ({ page }) => {
  await page.goto('/list.html');
  await page.waitForTimeout(400);
  expect(await page.locator('#items li').count()).toBe(3);
});

test('twin: an assertion that waits', async ({ page }) => {
  await page.goto('/list.html');
  await expect(page.locator('#items li')).toHaveCount(3);
  expect(await page.locator('#items li').count()).toBe(3);
});

test('twin: a poll', async ({ page }) => {
  await page.goto('/list.html');
  await expect.poll(() => page.locator('#items li').count()).toBe(3);
});
