import { expect, test } from '@playwright/test';

test('flaky: submits before the form is validated', async ({ page }) => {
  await page.goto('/validation.html');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.locator('#problem')).toHaveText('No address');
});

test('twin: waits for the validation', async ({ page }) => {
  await page.goto('/validation.html');
  await expect(page.locator('#form')).toHaveAttribute('data-ready', 'yes');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.locator('#problem')).toHaveText('No address');
});
