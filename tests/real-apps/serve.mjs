// Servers on loopback: folders of files, programs of the applications, and the gate in front of them.
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import net from 'node:net';
import { end, start } from './processes.mjs';

const types = {
  css: 'text/css',
  gif: 'image/gif',
  html: 'text/html;charset=utf-8',
  js: 'text/javascript;charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  mjs: 'text/javascript;charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  properties: 'text/plain;charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
};

const listen = (server, port = 0) =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server.address().port));
  });

/** A port that no server uses at the moment. */
export async function freePort() {
  const server = net.createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Serves by `answer(path, request, response)`, which returns whether it has answered; else the files of `root`. */
export async function serveFiles(root, port, answer = () => false) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://files').pathname);
    if (await answer(path, request, response)) return;
    try {
      // `new URL` has resolved `..` in the path.
      const file = (await stat(root + path)).isDirectory() ? `${path}/index.html` : path;
      const bytes = await readFile(root + file);
      response.setHeader('content-type', types[file.split('.').pop()] ?? 'application/octet-stream');
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await listen(server, port);
  return { stop: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())) };
}

/** Starts a program that serves on a port, and waits until the port answers. */
export async function serveBy(command, args, port, options) {
  const { child, output, ended } = start(command, args, options);
  let over = false;
  ended.then(
    () => (over = true),
    () => (over = true),
  );
  for (const until = Date.now() + 90_000; ; ) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(30_000) }).catch(() => null);
    await answer?.arrayBuffer().catch(() => {});
    if (answer) break;
    if (over || Date.now() > until) {
      await end(child);
      const last = `${output.stdout}${output.stderr}`.trim().split('\n').slice(-15).join('\n');
      throw new Error(`${command} ${args.join(' ')} does not serve on port ${port}:\n${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { stop: () => end(child) };
}

/**
 * Forwards connections from one port to another, but only after `open()`: so the observer of a browser sees its
 * requests from the first one on. The bytes are forwarded unchanged.
 */
export async function gate(port, behind) {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  const sockets = new Set();
  const server = net.createServer(async (socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    await opened;
    if (socket.destroyed) return;
    const other = net.connect(behind, '127.0.0.1');
    sockets.add(other.on('error', () => socket.destroy()).on('close', () => (sockets.delete(other), socket.destroy())));
    socket.on('close', () => other.destroy());
    socket.pipe(other).pipe(socket);
  });
  await listen(server, port);
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      for (const socket of sockets) socket.destroy();
    });
  return { open, stop };
}
