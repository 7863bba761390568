// Playwright's `test`, whose pages get the answers of a recording in place of a server's.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { test as base } from '@playwright/test';

export { expect } from '@playwright/test';

const { exchanges } = JSON.parse(readFileSync(process.env.INTERLOPER_SESSION, 'utf8'));
const dropped = ['content-length', 'content-encoding', 'transfer-encoding'];

export const test = base.extend({
  page: async ({ page }, use) => {
    const asked = new Map();
    /** The next answer to a request, after the time that it took. */
    const answer = async (request) => {
      const key = `${request.method()} ${request.url().split('#')[0]}`;
      const same = exchanges.filter(({ method, url }) => `${method} ${url}` === key);
      const nth = asked.get(key) ?? 0;
      asked.set(key, nth + 1);
      const found = same[nth] ?? same.at(-1);
      if (!found) return { status: 504, body: '' };
      await wait(Math.min(found.time[1] - found.time[0], 5000));
      if (!found.status) return undefined;
      const kept = found.headers.filter(([name]) => !dropped.includes(name.toLowerCase()));
      const body = Buffer.from(found.body, 'base64');
      return { status: found.status, headers: Object.fromEntries(kept), body, text: async () => body.toString() };
    };
    await page.context().route('**/*', async (route) => {
      const found = await answer(route.request());
      await (found ? route.fulfill({ ...found, text: undefined }) : route.abort());
    });
    // A route of the test asks the recording, too.
    const original = page.route.bind(page);
    page.route = (url, handler) =>
      original(url, (route) => {
        route.fetch = () => answer(route.request());
        const fulfil = route.fulfill.bind(route);
        route.fulfill = ({ response, ...rest }) =>
          fulfil(response ? { status: response.status, headers: response.headers, body: response.body, ...rest } : rest);
        return handler(route);
      });
    await use(page);
  },
});
