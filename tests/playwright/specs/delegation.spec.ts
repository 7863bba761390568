import { expect, test } from '@playwright/test';

test('flaky: clicks before the root listens', async ({ page }) => {
  await page.goto('/delegation.html');
  await page.locator('#add').click();
  await expect(page.locator('#count')).toHaveText('1');
});

test('twin: waits for the root', async ({ page }) => {
  await page.goto('/delegation.html');
  await expect(page.locator('#root')).toHaveAttribute('data-hydrated', 'true');
  await page.locator('#add').click();
  await expect(page.locator('#count')).toHaveText('1');
});
