import { expect, test } from '@playwright/test';

test('flaky: reads the result of the second search once', async ({ page }) => {
  await page.goto('/search.html');
  await page.locator('#q').fill('an');
  await expect(page.locator('#results li')).toHaveText(['banana']);
  await page.locator('#q').fill('a');
  await page.waitForTimeout(400);
  expect(await page.locator('#results').textContent()).toBe('applebanana');
});

test('twin: waits for the result', async ({ page }) => {
  await page.goto('/search.html');
  await page.locator('#q').fill('an');
  await expect(page.locator('#results li')).toHaveText(['banana']);
  await page.locator('#q').fill('a');
  await expect(page.locator('#results li')).toHaveText(['apple', 'banana']);
});
