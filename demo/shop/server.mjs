// Serves the shop on loopback: `node server.mjs [PORT]` prints the address once it listens.
// Some answers take their time, as they would over a network.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';

const types = { css: 'text/css', html: 'text/html', js: 'text/javascript' };
const goods = ['black tea', 'coffee', 'green tea', 'iced coffee', 'iced tea', 'mint'];
const late = ['/cart.js', '/wish.js', '/account.js', '/fixed/account.js'];

/** What the shop answers, and after how many milliseconds. */
function answer(url) {
  switch (url.pathname) {
    case '/api/search': {
      const text = url.searchParams.get('q') ?? '';
      const found = goods.filter((name) => name.includes(text));
      return { type: 'application/json', body: JSON.stringify(found), delay: text.length > 1 ? 20 : 60 };
    }
    case '/api/price':
      return url.searchParams.get('item') === 'tea'
        ? { type: 'application/json', body: '4', delay: 1500 }
        : { type: 'application/json', body: '3', delay: 1000 };
    case '/api/order':
      return { type: 'text/plain', body: 'Ordered.', delay: 40 };
    default:
      return undefined;
  }
}

async function file(pathname) {
  const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
  const type = types[name.split('.').pop()];
  // Only names of the shop's own files: no dots but the last, so no way out of the folder.
  if (!type || !/^(\/[a-z]+)+\.[a-z]+$/.test(name)) return undefined;
  try {
    return { type, body: await readFile(new URL(`.${name}`, import.meta.url)), delay: late.includes(name) ? 50 : 0 };
  } catch {
    return undefined;
  }
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://shop');
  const found = answer(url) ?? (await file(url.pathname));
  setTimeout(() => {
    response.writeHead(found ? 200 : 404, { 'content-type': `${found?.type ?? 'text/plain'};charset=utf-8` });
    response.end(found?.body ?? 'no such page');
  }, found?.delay ?? 0);
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/`),
);
