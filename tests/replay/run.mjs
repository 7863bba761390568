// Records the pages with a known mistake of tests/worth, replays their open groups, and prints the verdict on the
// mistake (docs/replay.md). The repaired twins must not be shown to be harmful.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { program } from '../apps/drive.mjs';
import { pages, record } from '../worth/run.mjs';
import { serve } from '../worth/server.mjs';
import { emitted } from './emitted.mjs';

const usage = `usage: script/replay [OPTION…] [PAGE…]

Records pages with a known mistake and their repaired twins in Chromium, replays their open races, and prints the
verdicts. Without PAGE, all pages are used; a part of a name chooses all that contain it.

  --emitted  emit tests for Playwright, of pages and of the demo shop, and run each ten times with the hold, when it
             must fail, and ten times without it, when it must pass
  --quick    use only the pages that CI uses
  --help     print this text
`;
/** The pages that CI uses: one for each kind of control and of harm. */
const quick = ['stale-search', 'form-draft', 'late-click-async', 'double-submit-form', 'lost-update-storage'];
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

async function main() {
  const flags = ['emitted', 'quick', 'help'].map((name) => [name, { type: 'boolean' }]);
  const { values, positionals } = parseArgs({ options: Object.fromEntries(flags), allowPositionals: true });
  if (values.help) return process.stdout.write(usage);
  if (values.emitted) {
    const isWanted = (name) => !positionals.length || positionals.some((part) => name.includes(part));
    const { tests, problems } = await emitted(values.quick, isWanted);
    process.stdout.write(`${tests - problems.length} passed, ${problems.length} failed\n`);
    process.exitCode = problems.length ? 1 : 0;
    return;
  }
  const chosen = values.quick ? pages.filter(({ name }) => quick.includes(name)) : pages;
  const wanted = chosen.filter(({ name }) => !positionals.length || positionals.some((part) => name.includes(part)));
  await mkdir(folder, { recursive: true });
  const server = await serve(pages);
  let passed = 0;
  let quiet = 0;
  for (const page of wanted) {
    const result = await judge(page, server.url).catch((error) => ({
      page: page.name,
      verdict: String(error.message).split('\n').slice(0, 3).join(' '),
      harmful: [],
    }));
    const isShown = result.verdict.startsWith('harmful');
    if (isShown) passed++;
    if (!result.harmful.length) quiet++;
    const twin = result.harmful.length ? `; twin harmful: ${result.harmful.join(', ')}` : '';
    process.stdout.write(`${result.page}: ${result.verdict}${twin}\n`);
  }
  server.close();
  process.stdout.write(`${wanted.length} pages: ${passed} shown harmful; ${quiet} twins not\n`);
  const failed = wanted.length - Math.min(passed, quiet);
  process.stdout.write(`${wanted.length - failed} passed, ${failed} failed\n`);
  process.exitCode = failed ? 1 : 0;
}

await main();
