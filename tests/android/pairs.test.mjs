// Records the Robolectric tests of recorder/android/tests, each into a file of its own, and judges every
// recording by the test's name: `race…` has an open race, only on what is called shared; `ordered…` has none.
// The result and the output of Maven must be those of a run that is not recorded.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const root = new URL('../..', import.meta.url).pathname;
const interloper = process.env.INTERLOPER ?? join(root, 'target/debug/interloper');
const folder = mkdtempSync(join(tmpdir(), 'interloper-android-'));
const recordings = join(folder, 'recordings');
const maven = ['-f', join(root, 'recorder/android'), '--batch-mode', '--no-transfer-progress', '-pl', 'standin,tests'];

function run(program, ...args) {
  // starts: mvn
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.ifError(error);
  return { status, stdout, stderr };
}

/** Results of Maven without times, temporary names and what it compiles. */
const results = ({ stdout }) => stdout.split('\n').filter((line) => /Tests run: \d+.*[0-9]$|BUILD/.test(line));

let plain;
let recorded;
before(() => {
  plain = run('mvn', ...maven, 'test');
  assert.equal(plain.status, 0, plain.stdout + plain.stderr);
  const options = ['record', 'android', '--per-test', '--no-check', '--out', recordings];
  recorded = run(interloper, ...options, '--', 'mvn', ...maven, 'test');
});
after(() => rmSync(folder, { recursive: true }));

test('the command is not disturbed', () => {
  assert.equal(recorded.status, 0, recorded.stdout + recorded.stderr);
  assert.deepEqual(results(recorded), results(plain));
  assert.doesNotMatch(recorded.stdout + recorded.stderr, /JAVA_TOOL_OPTIONS/);
});

/** Judges a recording under a model and with an engine. */
function report(file, ...options) {
  const { stdout, stderr } = run(interloper, 'check', file, '--format', 'json', ...options);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

const isOpen = (race) => !race.covered && !race.hidden;
const prints = ({ races }) => races.map((race) => race.fingerprint).toSorted();

test('every test is judged as its name says', async (t) => {
  const files = readdirSync(recordings).filter((name) => name.endsWith('.ilt'));
  assert.ok(files.length >= 70, `${files.length} recordings`);
  for (const name of files) {
    await t.test(name, () => {
      const file = join(recordings, name);
      const doctor = run(interloper, 'doctor', file);
      assert.equal(doctor.status, 0, doctor.stdout);
      const judged = report(file);
      const grave = judged.diagnostics.filter(({ severity }) => severity !== 'info');
      assert.deepEqual(grave, []);
      const open = judged.races.filter(isOpen).map(({ location }) => location);
      if (/\.race[A-Z]/.test(name)) {
        assert.notEqual(open.length, 0, 'there is no open race');
        const others = open.filter((location) => !/shared|Shared|^(ArrayList|HashMap)@1[.[]/.test(location));
        assert.deepEqual(others, []);
      } else {
        assert.match(name, /\.ordered[A-Z]/);
        assert.deepEqual(open, []);
      }
      assert.deepEqual(prints(report(file, '--engine', 'oracle')), prints(judged));
    });
  }
});
