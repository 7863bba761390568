// Records whole apps: the shop of the demo, and an app that ends badly in every way. Each app is built from source.
// However an app ends, what was recorded until then has its race, the message says what happened, and no process
// is left.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const root = new URL('../..', import.meta.url).pathname;
const interloper = process.env.INTERLOPER ?? join(root, 'target/debug/interloper');
const folder = mkdtempSync(join(tmpdir(), 'interloper-apps-'));
const apk = (name) => join(folder, `${name}.apk`);
const at = (name) => join(folder, name);

function run(program, args, environment = {}) {
  const options = { encoding: 'utf8', maxBuffer: 1 << 28, cwd: folder, env: { ...process.env, ...environment } };
  // starts: own, ps
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  assert.ifError(error);
  return { status, stdout, stderr };
}

const record = (args, environment) => run(interloper, ['record', 'android', ...args], environment);

/** The report on a recording, which has nothing wrong in it. */
function report(file, ...options) {
  const doctor = run(interloper, ['doctor', file]);
  assert.equal(doctor.status, 0, doctor.stdout);
  const { stdout, stderr } = run(interloper, ['check', file, '--format', 'json', ...options]);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

const open = ({ races }) => races.filter((race) => !race.covered && !race.hidden);
const places = ({ races }) => [...new Set(races.map(({ location }) => location))].toSorted();
const prints = ({ races }) => races.map((race) => race.fingerprint).toSorted();

/** Presses a button of the app that ends badly. */
function press(button, ...options) {
  writeFileSync(at(`${button}.steps`), `click #${button}\n`);
  const file = at(`${button}.ilt`);
  return { file, ...record([apk('ends'), '--steps', at(`${button}.steps`), '--out', file, ...options]) };
}

/** Checks that a recording has the race that comes before the app's end. */
function hasItsRace(file) {
  assert.deepEqual(
    [...new Set(open(report(file)).map(({ location }) => location))].filter((name) => !/@\d+\[/.test(name)),
    ['EndsActivity@1.result'],
  );
}

before(() => {
  for (const [name, of, sources] of [
    ['shop', 'demo/android', 'src'],
    ['fixed', 'demo/android', 'fixed'],
    ['ends', 'tests/android/ends', 'src'],
  ]) {
    const built = run(join(root, 'script/build-apk'), [join(root, of), join(root, of, sources), apk(name)]);
    assert.equal(built.status, 0, built.stderr);
  }
});
after(() => {
  // Every process of an app has the name of its file among its arguments.
  const { stdout } = run('ps', ['-eo', 'args']);
  assert.doesNotMatch(stdout, new RegExp(folder));
  rmSync(folder, { recursive: true });
});

const steps = join(root, 'demo/android/visit.steps');

test('the shop has six mistakes, and its repaired twin none', () => {
  const visits = [1, 2, 3].map((number) => {
    const file = at(`shop-${number}.ilt`);
    const { status, stderr } = record([apk('shop'), '--steps', steps, '--out', file]);
    assert.equal(status, 1, stderr);
    assert.match(stderr, /reached: 2 of 2 activities/);
    return report(file);
  });
  const found = new Set(open(visits[0]).map(({ location }) => location));
  for (const place of ['ShopActivity$Row@1.image', 'ShopActivity@1.cart', 'OrderActivity@1.title']) {
    assert.ok(found.has(place), place);
  }
  for (const place of ['SharedPreferencesImpl@1["visits"]', 'OrderActivity$Rows@1.isClosed', 'ShopActivity@1.found']) {
    assert.ok(found.has(place), place);
  }
  assert.equal(found.size, 6);
  for (const visit of visits) {
    assert.deepEqual(prints(visit), prints(visits[0]));
  }
  const fixed = record([apk('fixed'), '--steps', steps, '--out', at('fixed.ilt')]);
  assert.equal(fixed.status, 0, fixed.stdout + fixed.stderr);
});

test('engines agree on a recorded app, under both models', () => {
  for (const model of ['android', 'droidracer']) {
    const judged = (engine) => report(at('shop-1.ilt'), '--model', model, '--engine', engine);
    const oracle = judged('oracle');
    assert.deepEqual(prints(judged('graph')), prints(oracle), model);
    if (model === 'android') {
      // Of the pairs of a location, this engine lists some.
      assert.deepEqual(places(judged('stream')), places(oracle));
    }
  }
});

test('the same seed explores the same sequences, and another seed others', () => {
  const explored = (seed, name) => {
    const out = at(name);
    const options = ['--explore', '--depth', '2', '--sequences', '5', '--time', '300', '--no-check'];
    const { status, stderr } = record([apk('shop'), ...options, '--seed', String(seed), '--out', out]);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /explored 5 sequences: --sequences allows no more/);
    assert.match(stderr, /reached: \d of 2 activities, \d+ of \d+ inputs, \d+ callbacks/);
    const files = readdirSync(out).filter((file) => file.endsWith('.steps'));
    assert.equal(files.length, 5);
    return files.map((file) => readFileSync(join(out, file), 'utf8'));
  };
  const first = explored(1, 'explored');
  assert.deepEqual(explored(1, 'explored-again'), first);
  assert.notDeepEqual(explored(2, 'explored-otherwise'), first);
  // A file of steps does again what the explorer did.
  const again = ['--steps', join(at('explored'), 'sequence-003.steps'), '--out', at('again.ilt'), '--no-check'];
  assert.equal(record([apk('shop'), ...again]).status, 0);
  assert.deepEqual(prints(report(at('again.ilt'))), prints(report(join(at('explored'), 'sequence-003.ilt'))));
});

test('an app that crashes', () => {
  const { status, stderr, file } = press('crash');
  assert.equal(status, 1);
  assert.match(stderr, /the app crashed:\n {2}java.lang.IllegalStateException: the button was pressed\n/);
  hasItsRace(file);
});

test('an app that hangs on its main thread, or waits there for nothing', () => {
  for (const [button, where] of [
    ['hang', /EndsActivity\.lambda/],
    ['deadlock', /CountDownLatch\.await/],
  ]) {
    const { stderr, file } = press(button);
    assert.match(stderr, /the app hangs: its main thread does not come out of an event:/);
    assert.match(stderr, where);
    hasItsRace(file);
  }
});

test('an app that ends its process', () => {
  const { stderr, file } = press('exit');
  assert.match(stderr, /the app ended its process, with status 3/);
  hasItsRace(file);
});

test('an app that starts 1,000 threads', () => {
  const { status, stderr, file } = press('threads');
  assert.equal(status, 1, stderr);
  hasItsRace(file);
});

test('an endless animation does not fill the disk', () => {
  writeFileSync(at('endless.steps'), 'click #endless\n');
  const file = at('endless.ilt');
  const options = [apk('ends'), '--steps', at('endless.steps'), '--out', file, '--no-check'];
  const { stderr } = record(options, { INTERLOPER_ANDROID_LIMIT: '2' });
  assert.match(stderr, /the recording has reached its largest size/);
  assert.ok(statSync(file).size < 4 << 20);
  hasItsRace(file);
});

test('an app reaches neither the network, nor files, nor programs', async () => {
  const server = createServer();
  await new Promise((listening) => server.listen(47631, '127.0.0.1', listening));
  const { stderr } = press('snoop');
  assert.match(stderr, /java.lang.IllegalStateException: could: scratch\n/);
  // The test of the test: without confinement the app can do all of it.
  const { stderr: free } = press('snoop', '--unconfined', '--no-check');
  assert.match(free, /could: read list .*connect start start-java scratch\n/);
  server.close();
});

test('a recorder that is killed leaves a recording and no process', async () => {
  const file = at('killed.ilt');
  writeFileSync(at('killed.steps'), 'wait 100000\n'.repeat(50));
  const args = ['record', 'android', apk('ends'), '--steps', at('killed.steps'), '--out', file];
  // starts: own
  const child = spawn(interloper, args, { cwd: folder, stdio: 'ignore' });
  for (let waited = 0; !(existsSync(file) && statSync(file).size > 3000) && waited < 600; waited++) {
    await new Promise((later) => setTimeout(later, 200));
  }
  child.kill('SIGKILL');
  await new Promise((ended) => child.on('exit', ended));
  for (let waited = 0; waited < 100; waited++) {
    if (!run('ps', ['-eo', 'args']).stdout.includes('killed.ilt')) break;
    await new Promise((later) => setTimeout(later, 100));
  }
  assert.ok(!run('ps', ['-eo', 'args']).stdout.includes('killed.ilt'));
  const { status } = run(interloper, ['check', file, '--allow-damaged', '--format', 'json']);
  assert.ok(status === 0 || status === 1);
});

test('what cannot be run is refused, with what to do', () => {
  writeFileSync(at('broken.apk'), 'PK no zip');
  const refused = (args, message, environment) => {
    const { status, stderr } = record([...args, '--out', at('refused.ilt')], environment);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  };
  refused([at('absent.apk')], /cannot read .*absent\.apk/);
  refused([at('broken.apk')], /broken\.apk is not an APK that can be run/);
  refused([apk('shop')], /there is no Java here .* install a JDK/, { JAVA_HOME: '/nonexistent' });
  refused([apk('shop')], /cannot write to the cache .* set XDG_CACHE_HOME/, { XDG_CACHE_HOME: '/proc/none' });
  refused([apk('shop'), '--jars', folder], /--jars .* is missing or has another size/);
  const wrong = at('wrong.steps');
  writeFileSync(wrong, '// a comment\n\nclick #nothing\n');
  refused([apk('shop'), '--steps', wrong], /wrong\.steps:3: .*there is no visible view #nothing/);
  writeFileSync(wrong, 'jump\n');
  refused([apk('shop'), '--steps', wrong], /wrong\.steps:1: .*there is no step jump/);
});
