// Serves the pages of the tests: files of pages/, each after the milliseconds that `after` asks for, and a small API.
// A second server, on the next port, serves the API to pages of the first.
import { readFile } from 'node:fs/promises';
import http from 'node:http';

const TYPES = { html: 'text/html', js: 'text/javascript' };
const port = Number(process.env.PORT ?? 4173);
const items = ['apple', 'banana', 'cherry'];

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  await new Promise((done) => setTimeout(done, Number(url.searchParams.get('after') ?? 0)));
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cache-Control', 'no-store');
  if (url.pathname === '/api/items') {
    const wanted = url.searchParams.get('q') ?? '';
    response.setHeader('Content-Type', 'application/json');
    return response.end(JSON.stringify(items.filter((item) => item.includes(wanted))));
  }
  const name = url.pathname.slice(1);
  const type = TYPES[name.split('.').pop()];
  if (!type || !/^[a-z-]+\.[a-z]+$/.test(name)) return response.writeHead(404).end();
  try {
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.end(await readFile(new URL(`pages/${name}`, import.meta.url)));
  } catch {
    response.writeHead(404).end();
  }
}

http.createServer(answer).listen(port, '127.0.0.1');
http.createServer(answer).listen(port + 1, '127.0.0.1');
