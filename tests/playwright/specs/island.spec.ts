import { expect, test } from '@playwright/test';

test('flaky: clicks before hydration', async ({ page }) => {
  await page.goto('/island.html');
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.locator('#entries')).toBeVisible();
});

test('twin: waits for hydration', async ({ page }) => {
  await page.goto('/island.html');
  await expect(page.locator('#menu')).toHaveAttribute('data-ready', 'yes');
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.locator('#entries')).toBeVisible();
});
