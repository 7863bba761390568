// Runs test262 unchanged and rewritten, and compares the outcomes of each test.
//
//   node --experimental-vm-modules test/test262.mjs FOLDER [--sample N] [--only TEXT] [--seconds N]
//
// FOLDER is the test262 folder of SpiderMonkey's sources: every folder has a shell.js that its
// tests need, after those of the folders above. Tests that need a host's help are not part of the
// suite. Prints each difference; exit status 1 if there is one that docs/test262.md does not list. Tests
// that the time did not suffice for are counted as skipped. The last line is `N passed, M failed`.
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { join, dirname, relative } from 'node:path';
import vm from 'node:vm';
import { describe, Realm } from './harness.mjs';
import { Rewriter } from './rewriter.mjs';

const [folder, ...flags] = process.argv.slice(2);
const flag = (name) => (flags.includes(name) ? flags[flags.indexOf(name) + 1] : undefined);
const HOST = /createRealm|\$262|IsHTMLDDA|evalScript|detachArrayBuffer|Atomics\.wait/;
const parts = ['annexB', 'built-ins', 'language'];

function* files(path) {
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* files(inner);
    else if (/(?<!_FIXTURE|shell|browser)\.js$/.test(entry.name)) yield inner;
  }
}

const shells = new Map();
/** The shells of a folder and those above it, compiled. */
function shellsOf(path) {
  if (!shells.has(path)) {
    const own = join(path, 'shell.js');
    const above = path.length > folder.length ? shellsOf(dirname(path)) : [];
    const text = existsSync(own) ? readFileSync(own, 'utf8').trim() : '';
    shells.set(path, text ? [...above, new vm.Script(text, { filename: own })] : above);
  }
  return shells.get(path);
}

const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function outcome(path, text, code, { hooks, module, rewriter }) {
  let reported;
  const globals = {
    createIsHTMLDDA: () => undefined,
    reportCompare: (expected, actual) => (reported ??= expected === actual ? 'passed' : 'failed'),
    reportFailure: (failure) => (reported ??= `failed ${describe(failure)}`),
    setTimeout,
  };
  const realm = new Realm({ hooks, sources: [text], globals });
  for (const shell of shellsOf(dirname(path))) shell.runInContext(realm.context);
  const result = module
    ? await realm.module(code, path, (specifier) => modules(path, specifier, hooks, rewriter))
    : realm.script(code, path);
  if (/^flags:.*async|asyncTest|\$DONE/m.test(text)) for (let turn = 0; turn < 4 && !reported; turn++) await settle();
  return `${result.replace(/^value .*/s, 'value')} ${reported}`;
}

const moduleCode = new Map();
function modules(path, specifier, hooks) {
  return moduleCode.get(`${hooks}:${join(dirname(path), specifier)}`);
}

/** Rewrites the modules that a test may import. */
async function prepareModules(path, rewriter) {
  for (const name of readdirSync(dirname(path))) {
    const full = join(dirname(path), name);
    if (!name.endsWith('.js') || moduleCode.has(`false:${full}`)) continue;
    const source = readFileSync(full, 'utf8');
    moduleCode.set(`false:${full}`, source);
    const { code } = await rewriter.rewrite({ source, kind: 'module', url: name, script: 0 });
    moduleCode.set(`true:${full}`, code ?? source);
  }
}

function listed() {
  const path = new URL('../../../docs/test262.md', import.meta.url);
  if (!existsSync(path)) return new Set();
  return new Set([...readFileSync(path, 'utf8').matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name));
}

const rewriter = new Rewriter();
const found = parts.flatMap((part) => [...files(join(folder, part))]);
let tests = found.filter((path) => !HOST.test(readFileSync(path, 'utf8')));
const hosted = found.length - tests.length;
const sample = Number(flag('--sample') ?? tests.length);
if (sample < tests.length)
  tests = tests.filter(
    (_, at) => Math.floor((at * sample) / tests.length) !== Math.floor(((at - 1) * sample) / tests.length),
  );
if (flag('--only')) tests = tests.filter((path) => path.includes(flag('--only')));
const seconds = Number(flag('--seconds') ?? Infinity);
const started = Date.now();
const counts = { same: 0, unparsable: 0, different: 0, unlisted: 0 };
const known = listed();
process.on('unhandledRejection', () => {});
for (const path of tests) {
  if ((Date.now() - started) / 1000 > seconds) break;
  const text = readFileSync(path, 'utf8');
  const module = /^flags:.*\bmodule\b/m.test(text) || /^\/\/ \|reftest\|.*\bmodule\b/.test(text);
  if (module || /import\(/.test(text)) await prepareModules(path, rewriter);
  const answer = await rewriter.rewrite({ source: text, kind: module ? 'module' : 'script', url: path });
  if (answer.code === undefined) {
    // Passed on unchanged.
    counts.unparsable++;
    if (flags.includes('--unparsable')) console.log(relative(folder, path), answer.unparsable);
    continue;
  }
  const before = await outcome(path, text, text, { hooks: false, module, rewriter });
  const after = await outcome(path, text, answer.code, { hooks: true, module, rewriter });
  if (before === after) counts.same++;
  else {
    counts.different++;
    const name = relative(folder, path);
    if (!known.has(name)) {
      counts.unlisted++;
      console.log(`${name}\n  as it is:  ${before}\n  rewritten: ${after}`);
    }
  }
}
rewriter.close();
const compared = counts.same + counts.different + counts.unparsable;
console.log(
  `${compared} tests compared, ${counts.unparsable} of them not parsed and passed on as they are; ` +
    `${counts.different} differ (${((100 * counts.different) / compared).toFixed(3)} %), ` +
    `${counts.unlisted} of them not listed; ${hosted} more need a host`,
);
const skipped = tests.length - compared;
if (skipped) console.log(`skipped: ${skipped} tests, because ${seconds} seconds had passed`);
console.log(`${compared - counts.unlisted} passed, ${counts.unlisted} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = counts.unlisted > 0 ? 1 : 0;
