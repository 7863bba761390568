// Faults at random moments: node tests/hostile/faults.mjs [--moments N] [--seed N].
//
// Signals, files that change while they are read, and files that may not grow, at random moments of record, check,
// convert, replay and explore. After each: nothing is lost that was there before, nothing is half-written, the exit
// status is one that is documented, nothing panicked, and after anything but SIGKILL no process and no file is left;
// after SIGKILL they are gone once the command has run again. `crates/interloper/tests/faults` tries places (full disks,
// read-only folders, links) and more moments of `check`, `convert` and `record`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { processes } from './processes.mjs';

const root = new URL('../..', import.meta.url).pathname;
const interloper = process.env.INTERLOPER ?? join(root, 'target/debug/interloper');
const { values: options } = parseArgs({
  options: { moments: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const work = fs.mkdtempSync(join(tmpdir(), 'interloper-faults-'));
const at = (name) => join(work, name);

/** Random numbers that a seed decides (mulberry32). */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs a command to its end. The server of the page runs in this process, which must not wait for it. */
function run(...args) {
  // starts: own
  const child = spawn(interloper, args, { cwd: work, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stderr })));
}

const PAGE = `<!doctype html><button id=b>b</button><script>
  fetch('/data').then((answer) => answer.text()).then((text) => { window.shared = text });
  setTimeout(() => { window.shared = 'timer' }, 30);
  b.onclick = () => { window.shared = 'click' };
</script>`;

const server = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': request.url === '/' ? 'text/html' : 'text/plain' });
  setTimeout(() => response.end(request.url === '/' ? PAGE : 'data'), request.url === '/data' ? 40 : 0);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${server.address().port}/`;

// The files that the commands read: a recording of the page, and two long traces of equal length or not.
const prepared = {
  page: await run(
    'record',
    'web',
    url,
    '--out',
    at('page.ilt'),
    '--time',
    '0.5',
    '--replay',
    'none',
    '--fail-on',
    'never',
  ),
  one: await run('synth', 'asyncclock/AnyMemo', '--out', at('one.ilt'), '--scale', '0.1'),
  other: await run('synth', 'asyncclock/AnyMemo', '--out', at('other.ilt'), '--scale', '0.08', '--seed', '7'),
};
for (const [name, { status, stderr }] of Object.entries(prepared)) assert.equal(status, 0, `${name}: ${stderr}`);
for (const name of ['one', 'other']) fs.rmSync(at(`${name}.ilt.answers.json`), { force: true });

const OLD = 'what was there before\n';
const isJson = (bytes) => JSON.parse(bytes.toString()) !== null;
const isTrace = (bytes) => bytes.subarray(0, 18).toString() === 'interloper-trace 1' && bytes.at(-1) === 10;

/** What is run: its arguments, the file that it reads, the file that it writes, and what a complete one is. */
const COMMANDS = {
  record: {
    args: ['record', 'web', url, '--out', 'out.ilt', '--time', '1', '--replay', 'none'],
    seconds: 4,
    recording: true,
  },
  check: {
    args: ['check', 'in.ilt', '--format', 'json', '--out', 'out.json'],
    reads: 'one.ilt',
    whole: isJson,
    seconds: 2,
  },
  convert: { args: ['convert', 'in.ilt', 'out.trace'], reads: 'one.ilt', whole: isTrace, seconds: 2 },
  replay: {
    args: ['replay', 'in.ilt', '--format', 'json', '--out', 'out.json'],
    reads: 'page.ilt',
    whole: isJson,
    seconds: 8,
  },
  explore: { args: ['explore', 'in.ilt', '--no-open'], reads: 'one.ilt', seconds: 2, serves: true },
};

/** What happens to a running command, or to the file that it reads. */
const FAULTS = {
  KILL: (child) => child.kill('SIGKILL'),
  TERM: (child) => child.kill('SIGTERM'),
  INT: (child) => child.kill('SIGINT'),
  replaced: () => fs.renameSync(fs.copyFileSync(at('other.ilt'), at('new.ilt')) ?? at('new.ilt'), at('in.ilt')),
  rewritten: () => fs.writeFileSync(at('in.ilt'), fs.readFileSync(at('other.ilt'))),
  cut: () => fs.truncateSync(at('in.ilt'), 20_000),
  appended: () => fs.appendFileSync(at('in.ilt'), fs.readFileSync(at('other.ilt'))),
  limited: () => {},
};
const CHANGES = ['replaced', 'rewritten', 'cut', 'appended'];

/** The pairs of a command and a fault that make sense. */
const PAIRS = Object.keys(COMMANDS).flatMap((command) =>
  Object.keys(FAULTS)
    .filter((fault) => !CHANGES.includes(fault) || COMMANDS[command].reads)
    .filter((fault) => fault !== 'limited' || COMMANDS[command].whole || COMMANDS[command].recording)
    .map((fault) => [command, fault]),
);

const ours = () => fs.readdirSync(work).filter((name) => !['page.ilt', 'one.ilt', 'other.ilt'].includes(name));

/** Checks what a command has left. */
async function checkFiles(command, fault, status, stderr) {
  const { reads, whole, recording } = COMMANDS[command];
  assert.doesNotMatch(stderr, /panicked|RUST_BACKTRACE/);
  if (status !== null) assert.ok([0, 1, 2, 3, 130, 143].includes(status), `status ${status}: ${stderr}`);
  if (reads && !CHANGES.includes(fault)) {
    assert.ok(fs.readFileSync(at('in.ilt')).equals(fs.readFileSync(at(reads))), 'the input is unchanged');
  }
  const target = recording ? 'out.ilt' : COMMANDS[command].args.at(-1);
  if (whole) {
    const bytes = fs.readFileSync(at(target));
    assert.ok(bytes.equals(Buffer.from(OLD)) || whole(bytes), `${target} is the old one, or complete`);
  }
  if (recording) {
    const kept = ['out.ilt', 'out.ilt.old.1'].filter((name) => fs.existsSync(at(name)));
    assert.ok(
      kept.some((name) => fs.readFileSync(at(name), 'utf8') === OLD),
      'the earlier recording is kept',
    );
    if (kept.length === 2 && fs.statSync(at('out.ilt')).size > 0) {
      const { status, stderr } = await run('convert', 'out.ilt', '/dev/null', '--to', 'text', '--allow-damaged');
      assert.equal(status, 0, stderr);
    }
  }
  const expected = ['in.ilt', target, 'out.ilt.old.1', 'tmp'];
  const isClean = () =>
    processes(work).size === 0 &&
    ours().every((name) => expected.includes(name)) &&
    fs.readdirSync(at('tmp')).length === 0;
  for (let tries = 0; tries < 50 && processes(work).size > 0; tries++) await pause(100);
  assert.equal(
    processes(work).size,
    0,
    `processes are left: ${[...processes(work)].map(([id, { name }]) => `${id} ${name}`)}`,
  );
  if (fault !== 'KILL') assert.ok(isClean(), `left: ${ours()} and ${fs.readdirSync(at('tmp'))}`);
}

/** Tries one moment of one command. Returns whether the command was still running. */
async function tryMoment(command, fault, random) {
  const { args, reads, seconds, recording, whole } = COMMANDS[command];
  for (const name of ours()) fs.rmSync(at(name), { recursive: true });
  fs.mkdirSync(at('tmp'));
  if (reads) fs.copyFileSync(at(reads), at('in.ilt'));
  if (recording) fs.writeFileSync(at('out.ilt'), OLD);
  if (whole) fs.writeFileSync(at(args.at(-1)), OLD);
  const shell = fault === 'limited' ? `ulimit -f ${Math.floor(random() * 60)}; exec "$0" "$@"` : 'exec "$0" "$@"';
  // starts: bash, own
  const child = spawn('bash', ['-c', shell, interloper, ...args], {
    cwd: work,
    env: { ...process.env, TMPDIR: at('tmp') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const ended = new Promise((resolve) => child.on('close', (status, signal) => resolve({ status, signal })));
  await Promise.race([ended, pause(random() * seconds * 1000)]);
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (isRunning) FAULTS[fault](child);
  if (COMMANDS[command].serves) {
    await Promise.race([ended, pause(1500)]);
    child.kill('SIGINT');
  }
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const { status, signal } = await ended;
  clearTimeout(late);
  assert.ok(signal !== 'SIGKILL' || fault === 'KILL', `it did not end: ${stderr}`);
  assert.ok(signal === null || ['SIGKILL', 'SIGTERM', 'SIGINT'].includes(signal), `${signal}: ${stderr}`);
  await checkFiles(command, fault, status, stderr);
  return isRunning;
}

const random = numbers(Number(options.seed));
const table = new Map(PAIRS.map((pair) => [pair.join(' '), { moments: 0, running: 0 }]));
let failures = 0;
for (let moment = 0; moment < Number(options.moments); moment++) {
  const [command, fault] = PAIRS[Math.floor(random() * PAIRS.length)];
  const row = table.get(`${command} ${fault}`);
  row.moments++;
  try {
    row.running += Number(await tryMoment(command, fault, random));
  } catch (error) {
    failures++;
    console.log(`moment ${moment}: ${command}, ${fault}: ${error.message}`);
  }
}
server.close();
fs.rmSync(work, { recursive: true, force: true });
console.log('| command | fault | moments | while it ran |\n|---|---|---|---|');
for (const [pair, { moments, running }] of table) {
  const [command, fault] = pair.split(' ');
  if (moments > 0) console.log(`| \`${command}\` | ${fault} | ${moments} | ${running} |`);
}
console.log(`${Number(options.moments) - failures} passed, ${failures} failed`);
process.exit(failures > 0 ? 1 : 0);
