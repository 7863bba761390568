// Serves the apps and their to-do lists on loopback, and keeps the requests.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { out } from './build.mjs';

const types = { html: 'text/html', js: 'text/javascript', map: 'application/json' };

async function body(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

/** The to-do list of one server: returns a function that answers a request with JSON. */
function todoList() {
  let todos = [
    { id: 1, title: 'Get up', done: false },
    { id: 2, title: 'Have <b>tea</b> & "cake"', done: false },
  ];
  let next = 3;
  return (method, id, text) => {
    if (method === 'POST') todos.push({ id: next++, done: false, ...JSON.parse(text) });
    if (method === 'PUT') todos = todos.map((todo) => (todo.id === id ? { ...todo, ...JSON.parse(text) } : todo));
    if (method === 'DELETE') todos = todos.filter((todo) => todo.id !== id);
    if (method === 'POST') return todos.at(-1);
    return (id ? todos.find((todo) => todo.id === id) : todos) ?? {};
  };
}

/**
 * Starts a server. `dumps` and `requests` hold what it has received; each dump has the time at which the
 * page made it, because two dumps may overtake each other. `change` edits the served files.
 */
export async function serve(change = (_path, bytes) => bytes) {
  const dumps = [];
  const requests = [];
  const ask = todoList();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://apps').pathname;
    const text = await body(request);
    if (path === '/dump') {
      dumps.push(JSON.parse(text));
      return response.end();
    }
    requests.push([request.method, request.url, text, request.headers['content-type'] ?? ''].join(' ').trim());
    if (path.startsWith('/api/todos')) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify(ask(request.method, Number(path.slice(11)), text)));
    }
    const name = path.endsWith('/') ? `${path}index.html` : path;
    try {
      const bytes = await readFile(out + name.slice(1));
      response.setHeader('content-type', `${types[name.split('.').pop()]};charset=utf-8`);
      response.end(change(path, bytes));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}/`, dumps, requests, close };
}
