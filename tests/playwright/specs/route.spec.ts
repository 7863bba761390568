import { expect, type Page, test } from '@playwright/test';

const answer = (page: Page) => page.route('**/api/items**', (route) => route.fulfill({ json: ['one', 'two'] }));

test('flaky: one look at what a route answers', async ({ page }) => {
  await answer(page);
  await page.goto('/list.html');
  await page.waitForTimeout(400);
  expect(await page.locator('#items li').count()).toBe(2);
});

test('twin: waits for what a route answers', async ({ page }) => {
  await answer(page);
  await page.goto('/list.html');
  await expect(page.locator('#items li')).toHaveCount(2);
});
