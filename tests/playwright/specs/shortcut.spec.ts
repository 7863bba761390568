import { expect, test } from '@playwright/test';

test('flaky: presses a key before anyone listens', async ({ page }) => {
  await page.goto('/shortcut.html');
  await page.getByRole('heading').click();
  await page.keyboard.press('/');
  await expect(page.locator('#search')).toBeVisible();
});

test('twin: waits until the page listens', async ({ page }) => {
  await page.goto('/shortcut.html');
  await expect(page.locator('#search')).toHaveAttribute('data-ready', 'yes');
  await page.getByRole('heading').click();
  await page.keyboard.press('/');
  await expect(page.locator('#search')).toBeVisible();
});
