import { expect, test } from '@playwright/test';

test('flaky: waits for the answer, not for what the page does with it', async ({ page }) => {
  const response = page.waitForResponse('**/api/items**');
  await page.goto('/list.html');
  await response;
  await page.waitForTimeout(200);
  expect(await page.locator('#items li').count()).toBe(3);
});

test('twin: waits for what the page shows', async ({ page }) => {
  const response = page.waitForResponse('**/api/items**');
  await page.goto('/list.html');
  await response;
  await expect(page.locator('#items li')).toHaveCount(3);
});
