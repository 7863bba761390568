// How two operations are ordered, from the explorer as one file: on all pairs of every trace of the corpus as
// `interloper order` says.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { build } from 'esbuild';

const root = new URL('../../', import.meta.url).pathname;
const binary = process.env.INTERLOPER_BINARY ?? `${root}target/debug/interloper`;
// starts: own
const run = promisify(execFile);

let folder;
let File;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interloper-order-'));
  const outfile = join(folder, 'offline.mjs');
  const entryPoints = [`${root}crates/explorer/web/src/offline.ts`];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'neutral' });
  ({ File } = await import(outfile));
});
after(() => rm(folder, { recursive: true }));

/** Returns the answers that a page contains. */
async function answers(trace) {
  const out = join(folder, 'page.html');
  // starts: own
  await run(binary, ['check', trace, '--format', 'html', '--fail-on', 'never', '--out', out]);
  const [, data] = /<script type="text\/plain" id="data">([^<]*)</.exec(await readFile(out, 'utf8'));
  const bytes = inflateSync(Buffer.from(data, 'base64'));
  return new File(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

test('every pair of the corpus is ordered as `interloper order` says', async () => {
  const files = await readdir(`${root}corpus`, { recursive: true });
  const traces = files.filter((file) => file.endsWith('.trace')).sort();
  assert.ok(traces.length > 20, `the corpus has ${traces.length} traces`);
  let pairs = 0;
  for (const file of traces) {
    const trace = `${root}corpus/${file}`;
    // starts: own
    const { stdout } = await run(binary, ['order', trace, '--matrix'], { maxBuffer: 1 << 28 });
    const matrix = stdout.trimEnd().split('\n');
    const order = (await answers(trace)).order();
    for (let b = 0; b < matrix.length; b++)
      for (let a = 0; a < matrix.length; a++) {
        pairs++;
        if (order.before(a, b) !== (matrix[a][b] === '1')) assert.fail(`${file}: ${a} and ${b}`);
      }
    // The rails of a sample lead from one operation to the other, by rules that order each step.
    for (let a = 0; a < matrix.length; a += 7)
      for (let b = 0; b < matrix.length; b += 5) {
        const rails = order.rails(a, b, () => '');
        const has = (op) => rails.rows.some((row) => row.op === op);
        assert.ok(has(a) && has(b), `${file}: ${a} ${b}`);
        if (rails.relation === 'unordered') {
          // The fork is before both, no other operation before both follows it, and there is one if it can be.
          const both = [...matrix.keys()].filter((op) => matrix[op][a] === '1' && matrix[op][b] === '1');
          const last = both.filter((op, _, all) => !all.some((other) => matrix[op][other] === '1'));
          const fork = rails.rows.find((row) => row.rail === 0)?.op;
          assert.equal(fork === undefined, last.length === 0, `${file}: ${a} ${b}: ${last}`);
          assert.ok(fork === undefined || last.includes(fork), `${file}: ${a} ${b}: ${fork} not of ${last}`);
        }
        for (const rail of [1, 2]) {
          const ops = rails.rows.filter((row) => row.rail === rail || row.rail === 0).map((row) => row.op);
          for (let i = 1; i < ops.length; i++)
            assert.equal(matrix[ops[i - 1]][ops[i]], '1', `${file}: ${a} ${b}: ${ops}`);
        }
      }
  }
  assert.ok(pairs > 10_000, `only ${pairs} pairs`);
});
