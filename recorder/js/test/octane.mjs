// Measures the cost of the hooks: Octane unchanged and rewritten, each benchmark in a process of its own.
//
//   node test/octane.mjs FOLDER [NAME...]
//
// FOLDER is lib/octane of the npm package benchmark-octane. A benchmark is loaded in one event and
// run in the next, so objects made while loading are old, and objects made while running are young.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { suites } from '../../../tests/bench/suites.mjs';
import { hooks } from './harness.mjs';
import { rewriteNow } from './rewriter.mjs';

const [folder, ...rest] = process.argv.slice(2);
const self = new URL(import.meta.url).pathname;

function measure(name, mode) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [
    ...process.execArgv,
    self,
    folder,
    `--${mode}`,
    name,
  ]);
  if (status !== 0) throw new Error(`${name} ${mode}: ${stderr.toString().slice(-500)}`);
  return JSON.parse(stdout.toString().trim().split('\n').pop());
}

function runOne(name, rewritten) {
  let accesses = 0;
  let recording;
  const wire = { epoch: 1, access: () => accesses++ };
  const codes = ['base', ...suites[name]].map((file, script) => {
    const source = readFileSync(join(folder, `${file}.js`), 'utf8');
    if (!rewritten) return source;
    const answer = rewriteNow({ source, kind: 'script', url: `${file}.js`, script, site: script * 1e5 });
    if (!answer.code) throw new Error(`${file}: ${answer.unparsable}`);
    return answer.code;
  });
  if (rewritten) {
    const { install } = vm.runInThisContext(hooks);
    recording = install(globalThis, wire);
  }
  for (const code of codes) vm.runInThisContext(code, { filename: name });
  wire.epoch++;
  recording?.turn();
  // Runs a second of processor time, whatever else the machine does: at least once to warm up.
  const seconds = () => (({ user, system }) => (user + system) / 1e6)(process.cpuUsage());
  let rate = 1;
  const [{ benchmarks }] = vm.runInThisContext('BenchmarkSuite.suites');
  for (const benchmark of benchmarks) {
    vm.runInThisContext('BenchmarkSuite.ResetRNG()');
    benchmark.Setup();
    const warm = seconds() + 2;
    do benchmark.run();
    while (seconds() < warm);
    const start = seconds();
    let runs = 0;
    do {
      benchmark.run();
      runs++;
    } while (seconds() < start + 2);
    rate *= (runs / (seconds() - start)) ** (1 / benchmarks.length);
    benchmark.TearDown();
  }
  return { rate, accesses };
}

if (rest[0] === '--plain' || rest[0] === '--rewritten') {
  console.log(JSON.stringify(runOne(rest[1], rest[0] === '--rewritten')));
} else {
  let product = 1;
  const names = rest.length ? rest : Object.keys(suites);
  console.log('| benchmark | runs/s as it is | rewritten | times slower | accesses recorded |\n|---|---|---|---|---|');
  for (const name of names) {
    const plain = measure(name, 'plain');
    const hooked = measure(name, 'rewritten');
    const times = plain.rate / hooked.rate;
    product *= times;
    console.log(
      `| ${name} | ${plain.rate.toPrecision(3)} | ${hooked.rate.toPrecision(3)} | ${times.toFixed(1)} | ${hooked.accesses} |`,
    );
  }
  console.log(`\ngeometric mean: ${(product ** (1 / names.length)).toFixed(1)}`);
}
