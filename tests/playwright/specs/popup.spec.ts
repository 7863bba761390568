import { expect, test } from '@playwright/test';

test('flaky: clicks in a popup before hydration', async ({ page }) => {
  await page.goto('/opener.html');
  const opened = page.waitForEvent('popup');
  await page.locator('#help').click();
  const popup = await opened;
  await popup.waitForLoadState();
  await popup.locator('#menu').click();
  await expect(popup.locator('#entries')).toBeVisible();
});

test('twin: waits for hydration in the popup', async ({ page }) => {
  await page.goto('/opener.html');
  const opened = page.waitForEvent('popup');
  await page.locator('#help').click();
  const popup = await opened;
  await expect(popup.locator('#menu')).toHaveAttribute('data-ready', 'yes');
  await popup.locator('#menu').click();
  await expect(popup.locator('#entries')).toBeVisible();
});
