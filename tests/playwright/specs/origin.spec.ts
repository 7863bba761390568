import { expect, test } from '@playwright/test';

const port = Number(process.env.PORT ?? 4173) + 1;
const address = `/list.html?api=http://127.0.0.1:${port}`;

test('flaky: one look at an answer from another port', async ({ page }) => {
  await page.goto(address);
  await page.waitForTimeout(400);
  expect(await page.locator('#items').textContent()).toBe('applebananacherry');
});

test('twin: waits for an answer from another port', async ({ page }) => {
  await page.goto(address);
  await expect(page.locator('#items')).toHaveText('applebananacherry');
});
