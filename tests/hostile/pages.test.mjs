// Records hostile pages with the real browser. Whatever a page does: the recorder ends by itself in time, with an exit
// status that it documents, in bounded memory; the file loads; no process is left, and no folder.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PAGES } from './pages.mjs';
import { processes } from './processes.mjs';

const root = new URL('../..', import.meta.url).pathname;
const interloper = process.env.INTERLOPER ?? join(root, 'target/debug/interloper');
const work = mkdtempSync(join(tmpdir(), 'interloper-hostile-'));
after(() => rmSync(work, { recursive: true, force: true }));
// INTERLOPER_PAGES=TEXT records only the pages whose names contain it.
const wanted = process.env.INTERLOPER_PAGES ?? '';

/** A server for some files. */
async function serve(files, asked, replaced) {
  const server = createServer({ maxHeaderSize: 1 << 20 }, (request, response) => {
    asked.push(request.url);
    response.on('error', () => {});
    const file = files[request.url] ?? files[request.url.split('?')[0]];
    if (file === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('nothing');
    } else if (typeof file === 'function') file(request, response);
    else {
      response.writeHead(200, { 'Content-Type': file[0] });
      response.end(typeof file[1] === 'string' ? replaced(file[1]) : file[1]);
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Runs the recorder, and measures its own processes: not those of the browser, which the page may fill. */
function record(args, folder, seconds) {
  return new Promise((resolve, reject) => {
    const began = Date.now();
    // starts: own
    const child = spawn(interloper, ['record', 'web', ...args], {
      cwd: folder,
      env: { ...process.env, TMPDIR: folder },
    });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) child[stream].on('data', (text) => (said[stream] += text));
    let memory = 0;
    const look = setInterval(() => {
      const own = [...processes(folder).values()].filter(({ name }) => name.startsWith('interloper'));
      memory = Math.max(
        memory,
        own.reduce((sum, { memory }) => sum + memory, 0),
      );
    }, 200);
    const late = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearInterval(look);
      clearTimeout(late);
      resolve({ status, signal, memory, seconds: (Date.now() - began) / 1000, ...said });
    });
  });
}

function run(...args) {
  // starts: own
  const { status, stdout, stderr } = spawnSync(interloper, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
  return { status, stdout, stderr };
}

let number = 0;
for (const [name, page] of Object.entries(PAGES).filter(([name]) => name.includes(wanted))) {
  test(name, async () => {
    const folder = join(work, String(++number));
    mkdirSync(folder);
    for (const [file, text] of Object.entries(page.beside ?? {})) writeFileSync(join(folder, file), text);
    const asked = [];
    const origins = {};
    const replaced = (text) => text.replaceAll('ORIGIN', origins.own).replaceAll('OTHER', origins.other);
    const own = await serve(page.files, asked, replaced);
    const other = await serve(page.other ?? {}, asked, replaced);
    Object.assign(origins, { own: own.origin, other: other.origin.replace('127.0.0.1', 'localhost') });
    const file = join(folder, 'page.ilt');
    const limit = page.seconds ?? 25;
    const { time = 3, load = 10 } = page;
    const args = [
      `${origins.own}/`,
      '--out',
      file,
      '--time',
      `${time}`,
      '--load-timeout',
      `${load}`,
      '--replay',
      'none',
    ];
    const seen = await record(args, folder, limit);
    for (const { server } of [own, other]) {
      server.closeAllConnections();
      server.close();
    }
    const summary = `status ${seen.status}, ${seen.seconds.toFixed(1)} s, ${seen.memory.toFixed(0)} MB`;
    assert.equal(seen.signal, null, `${summary}: ${seen.stderr.slice(-2000)}`);
    assert.doesNotMatch(seen.stderr, /panicked|stack overflow|RUST_BACKTRACE/);
    assert.ok((page.status ?? [0, 1]).includes(seen.status), `${summary}: ${seen.stderr.slice(-2000)}`);
    assert.ok(seen.memory < (page.memory ?? 700), summary);
    const left = [...processes(folder)].map(([process, { name }]) => `${process} ${name}`);
    assert.deepEqual(left, [], 'no process is left');
    const files = readdirSync(folder).filter((entry) => entry !== 'page.ilt' && !(entry in (page.beside ?? {})));
    assert.deepEqual(files, [], 'no folder is left');
    const text = run('convert', file, '-', '--to', 'text', '--allow-damaged');
    assert.equal(text.status, 0, text.stderr);
    const checked = run('check', file, '--fail-on', 'never', '--allow-damaged');
    assert.equal(checked.status, 0, checked.stderr);
    page.holds?.({ ...seen, text: text.stdout, asked });
  });
}
