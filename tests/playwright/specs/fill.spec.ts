import { expect, test } from '@playwright/test';

test('flaky: fills before hydration', async ({ page }) => {
  await page.goto('/fill.html');
  await page.getByLabel('Name').fill('Ada');
  await expect(page.locator('#hello')).toHaveText('Hello Ada');
});

test('twin: waits for hydration', async ({ page }) => {
  await page.goto('/fill.html');
  await expect(page.locator('#hello')).toHaveAttribute('data-hydrated', 'true');
  await page.getByLabel('Name').fill('Ada');
  await expect(page.locator('#hello')).toHaveText('Hello Ada');
});
