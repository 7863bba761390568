// Runs `interloper playwright` on the tests of this folder, and checks what it reports: each flaky test is shown to be
// flaky, with the step and the line of the page that this file states, and each twin is not. It also checks that the
// recorded run has the same results as the user's own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `usage: script/playwright [--quick] [--times N] [SPEC…]
  --quick    only two tests and their twins; a second run if a busy machine kept the first from deciding
  --times N  how often everything is done [default: 1]`;

const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '../..');
const interloper = process.env.INTERLOPER ?? path.join(root, 'target/debug/interloper');

/** The cause of each flaky test: the line of the step, and the file of the page's event. */
const CAUSES = {
  'island.spec.ts': [5, 'island.js'],
  'delegation.spec.ts': [5, 'delegation.js'],
  'fill.spec.ts': [5, 'fill.js'],
  'shortcut.spec.ts': [6, 'shortcut.js'],
  'look.spec.ts': [6, 'list.html'],
  'search.spec.ts': [9, 'search.html'],
  'validation.spec.ts': [5, 'validation.js'],
  'popup.spec.ts': [9, 'island.js'],
  'route.spec.ts': [9, 'list.html'],
  'origin.spec.ts': [9, 'list.html'],
  'clock.spec.ts': [8, 'clock.html'],
  'response.spec.ts': [8, 'list.html'],
};
/** The tests of what a test sees. */
const UNCHANGED = 'unchanged.spec.ts';
const QUICK = ['island.spec.ts', 'look.spec.ts'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, times: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const specs = positionals.length > 0 ? positionals : values.quick ? QUICK : Object.keys(CAUSES);
let failures = 0;
const fail = (text) => {
  failures++;
  console.log(`FAILED ${text}`);
};
const times = Number(values.times ?? 1);
for (let time = 1; time <= times; time++) once(time);
if (values.quick && failures > 0) {
  failures = 0;
  once(times + 1);
}
// The tests of what a test sees count as one.
const all = times * (specs.length + 1);
console.log(`${Math.max(0, all - failures)} passed, ${failures} failed`);
process.exit(failures > 0 ? 1 : 0);

function once(time) {
  const out = mkdtempSync(path.join(tmpdir(), 'interloper-flaky-'));
  const report = path.join(out, 'report.json');
  const began = Date.now();
  const command = ['node', path.join(root, 'node_modules/@playwright/test/cli.js'), 'test', UNCHANGED, ...specs];
  const args = [
    'playwright',
    '--format',
    'json',
    '--report',
    report,
    '--out',
    path.join(out, 'recordings'),
    '--',
    ...command,
  ];
  // starts: own
  const ran = spawnSync(interloper, args, { cwd: folder, encoding: 'utf8', timeout: 1_800_000 });
  // Status 1 says that a test was shown to be flaky.
  if (ran.status !== 1) {
    fail(`run ${time}: exit status ${ran.status}\n${ran.stdout}\n${ran.stderr}`);
    return;
  }
  const { tests } = JSON.parse(readFileSync(report, 'utf8'));
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`run ${time}: ${tests.length} tests recorded, ${seconds} s`);
  const unchanged = tests.filter(({ test }) => test.file.endsWith(UNCHANGED));
  for (const { test, note } of unchanged) if (note) fail(`${UNCHANGED} › ${test.titles.at(-1)}: ${note}`);
  if (new Set(unchanged.map(({ test }) => test.id)).size !== 6) fail(`${UNCHANGED}: ${unchanged.length} recordings`);
  for (const spec of specs)
    check(
      spec,
      tests.filter(({ test }) => test.file.endsWith(spec)),
    );
  if (failures === 0) rmSync(out, { recursive: true });
  else console.log(`the recordings are in ${out}`);
}

function check(spec, tests) {
  const [line, file] = CAUSES[spec];
  const flaky = tests.filter(({ test }) => test.titles.at(-1).startsWith('flaky'));
  const twins = tests.filter(({ test }) => test.titles.at(-1).startsWith('twin'));
  if (flaky.length !== 1 || twins.length === 0) return fail(`${spec}: ${tests.length} tests were recorded`);
  for (const { test, note } of tests) if (note) fail(`${spec} › ${test.titles.at(-1)}: ${note}`);
  const shown = flaky[0].findings.filter(({ verdict }) => verdict === 'shown');
  const named = shown.some(({ step, page }) => step.line === line && page.source?.includes(file));
  if (!named) fail(`${spec}: the cause is not shown\n${JSON.stringify(flaky[0].findings, null, 1)}`);
  for (const { test, findings } of twins) {
    const loud = findings.filter(({ verdict }) => verdict === 'shown');
    if (loud.length > 0) fail(`${spec} › ${test.titles.at(-1)}: shown\n${JSON.stringify(loud, null, 1)}`);
  }
  const others = twins.reduce((sum, { findings }) => sum + findings.length, 0);
  console.log(
    `${named ? 'shown ' : '      '} ${spec}: ${shown.length} shown, ${others} in twins set aside or not tried`,
  );
}
