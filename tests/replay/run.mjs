// Replays pages in Chromium (docs/replay.md): those of tests/replay/pages, whose verdicts are known, and the pages with
// a known mistake of tests/worth and tests/replay/mistakes. There the mistake must be shown to be harmful, and nothing
// in the repaired twin.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { program } from '../apps/drive.mjs';
import { record, pages as worthPages } from '../worth/run.mjs';
import { serve } from '../worth/server.mjs';
import { run as runControls } from './controls.mjs';
import { emitted } from './emitted.mjs';
import { mistakes } from './mistakes.mjs';
import { pages as controls, quick as quickControls } from './pages.mjs';

const usage = `usage: script/replay [OPTION…] [PAGE…]

Records pages in Chromium, replays their races, and prints the verdicts: pages for each source of events and each
verdict, and pages with a known mistake with their repaired twins. Without PAGE, all pages are used; a part of a name
chooses all that contain it.

  --quick      use only the pages that CI uses
  --controls   use only the pages for sources and verdicts
  --worth      use only the pages with a known mistake
  --emitted    emit tests for Playwright, of pages and of the demo shop, and run each ten times with the hold, when
               it must fail, and ten times without it, when it must pass
  --help       print this text
`;
/** The pages that CI uses: one for each kind of control and of harm. */
const quick = ['stale-search', 'form-draft', 'late-click-async', 'optimistic-rename-fails-late'];
const pages = [...worthPages, ...mistakes];
const folder = new URL('../../target/replay/', import.meta.url).pathname;

// starts: own
const execute = promisify(execFile);

/** The races of a recording with their verdicts. */
async function replay(file) {
  const options = ['--top', '5', '--format', 'json', '--budget', '120'];
  // The exit status tells what was found, and standard output has it.
  // starts: own
  const done = await execute(program, ['replay', file, ...options], { timeout: 300_000 }).catch((error) => error);
  if (!done.stdout) throw done;
  return JSON.parse(done.stdout).races;
}

async function judge(page, url) {
  const wrong = await replay(await record(page, url, false, folder));
  const found = wrong.find(({ location }) => page.location.test(location));
  const twin = await replay(await record(page, url, true, folder));
  const harmful = twin.filter(({ replay }) => replay.verdict === 'harmful').map(({ location }) => location);
  const word = ({ verdict, kind, notes }) => [verdict, kind, ...notes].filter(Boolean).join(', ');
  return { page: page.name, verdict: found ? word(found.replay) : 'not open', harmful };
}

/** Replays pages with a known mistake and their twins. */
async function worth(wanted) {
  const server = await serve(pages);
  let passed = 0;
  let quiet = 0;
  let failed = 0;
  for (const page of wanted) {
    const result = await judge(page, server.url).catch((error) => ({
      page: page.name,
      verdict: String(error.message).split('\n').slice(0, 3).join(' '),
      harmful: [],
    }));
    const isShown = result.verdict.startsWith('harmful');
    if (isShown) passed++;
    if (!result.harmful.length) quiet++;
    if (!isShown || result.harmful.length) failed++;
    const twin = result.harmful.length ? `; twin harmful: ${result.harmful.join(', ')}` : '';
    process.stdout.write(`${result.page}: ${result.verdict}${twin}\n`);
  }
  server.close();
  process.stdout.write(`${wanted.length} pages: ${passed} shown harmful; ${quiet} twins not\n`);
  return { passed: wanted.length - failed, failed };
}

async function main() {
  const flags = ['quick', 'controls', 'worth', 'emitted', 'help'].map((name) => [name, { type: 'boolean' }]);
  const { values, positionals } = parseArgs({ options: Object.fromEntries(flags), allowPositionals: true });
  if (values.help) return process.stdout.write(usage);
  if (values.emitted) {
    const isWanted = (name) => !positionals.length || positionals.some((part) => name.includes(part));
    const { tests, problems } = await emitted(values.quick, isWanted);
    process.stdout.write(`${tests - problems.length} passed, ${problems.length} failed\n`);
    process.exitCode = problems.length ? 1 : 0;
    return;
  }
  const choose = (all, quick) =>
    all
      .filter(({ name }) => !values.quick || quick.includes(name))
      .filter(({ name }) => !positionals.length || positionals.some((part) => name.includes(part)));
  await mkdir(folder, { recursive: true });
  const one = values.worth ? { passed: 0, failed: 0 } : await runControls(choose(controls, quickControls), folder);
  const two = values.controls ? { passed: 0, failed: 0 } : await worth(choose(pages, quick));
  const failed = one.failed + two.failed;
  process.stdout.write(`${one.passed + two.passed} passed, ${failed} failed\n`);
  process.exitCode = failed ? 1 : 0;
}

await main();
