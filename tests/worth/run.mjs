// Records pages with a known mistake and their repaired twins, and compares the reports with what they must say
// (docs/worth-reading.md): the mistake is found, open and read first; the twin is quiet.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { program } from '../apps/drive.mjs';
import { ajax } from './pages/ajax.mjs';
import { forms } from './pages/forms.mjs';
import { handlers } from './pages/handlers.mjs';
import { load } from './pages/load.mjs';
import { mixed } from './pages/mixed.mjs';
import { stale } from './pages/stale.mjs';
import { updates } from './pages/updates.mjs';
import { serve } from './server.mjs';

const usage = `usage: script/worth [OPTION…] [PAGE…]

Records pages with a known mistake and their repaired twins in Chromium, and prints where each mistake stands in its
report. Without PAGE, all pages are recorded; a part of a name chooses all that contain it.

  --quick    record only the pages that CI records
  --again    judge the recordings of the last run again
  --help     print this text
`;

export const pages = [...stale, ...ajax, ...forms, ...handlers, ...load, ...mixed, ...updates];
/** The pages that CI records: one or two of each kind. */
const quick = [
  'stale-model',
  'stale-jquery',
  'stale-xhr',
  'form-draft',
  'form-checkbox',
  'late-click-async',
  'late-submit-external',
  'undefined-config',
  'double-submit-form',
  'lost-update-count',
];
const folder = new URL('../../target/worth/', import.meta.url).pathname;
/** How many pages are recorded at a time. */
const atOnce = 3;

// starts: own
const execute = promisify(execFile);

/** Records a page or its twin into a folder, and returns the file. */
export async function record(page, url, isFixed, folder) {
  const name = `${folder}${page.name}${isFixed ? '.fixed' : ''}`;
  await writeFile(`${name}.steps`, (isFixed && page.fixedSteps) || page.steps);
  const options = [
    '--steps',
    `${name}.steps`,
    '--out',
    `${name}.ilt`,
    '--no-check',
    '--time',
    '0.3',
    '--step-timeout',
    '30',
  ];
  const early = page.early ? ['--early-steps'] : [];
  await rm(`${name}.ilt`, { force: true });
  const address = `${url}/${page.name}/${isFixed ? 'fixed/' : ''}`;
  // starts: own
  await execute(program, ['record', 'web', address, ...options, ...early], { timeout: 120_000 });
  return `${name}.ilt`;
}

/** The report on a recording. */
async function check(page, isFixed) {
  const file = `${folder}${page.name}${isFixed ? '.fixed' : ''}.ilt`;
  const options = ['--format', 'json', '--fail-on', 'never'];
  // starts: own
  const { stdout } = await execute(program, ['check', file, ...options], { maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

/** The groups of a report with an open race, in the order of reading; each with its first open race. */
export function openGroups({ groups, races }) {
  const byId = new Map(races.map((race) => [race.id, race]));
  const lead = ({ races }) => races.map((id) => byId.get(id)).find((race) => race && !race.covered && !race.hidden);
  return groups
    .toSorted((one, two) => one.rank - two.rank)
    .map(lead)
    .filter(Boolean);
}

/** Where the mistake of a page stands: its place among the open groups, or why it is not open. */
function judge(page, report) {
  const leads = openGroups(report);
  const at = leads.findIndex(({ location }) => page.location.test(location)) + 1;
  const races = report.races.filter(({ location }) => page.location.test(location));
  const labels = [...new Set(races.flatMap(({ labels, covered }) => [...labels, ...(covered ? ['covered'] : [])]))];
  const hints = at ? leads[at - 1].hints.map(({ kind }) => kind) : [];
  const others = leads.filter((_, index) => index + 1 !== at).map(({ location }) => location);
  const state = at ? `open, place ${at}` : races.length ? `hidden: ${labels.join(', ')}` : 'not found';
  return { at, state, hints, others };
}

async function compare(page, url, isAgain) {
  if (!isAgain) for (const isFixed of [false, true]) await record(page, url, isFixed, folder);
  const wrong = judge(page, await check(page, false));
  const twin = openGroups(await check(page, true)).map(
    ({ location, labels, first, second }) =>
      `${location} [${labels}] ${first.kind} in ${first.event_type}, ${second.kind} in ${second.event_type}`,
  );
  const lacks = page.hint && wrong.at && !wrong.hints.includes(page.hint);
  const problems = [
    ...(wrong.at === 1 ? [] : [wrong.state]),
    ...(wrong.at ? wrong.others.map((location) => `also open: ${location}`) : []),
    ...(lacks ? [`no hint ${page.hint}, but ${wrong.hints.join(', ') || 'none'}`] : []),
    ...twin.map((location) => `twin: ${location}`),
  ];
  return { page: page.name, first: wrong.at === 1, open: wrong.at > 0, quiet: twin.length === 0, problems };
}

/** Compares pages, a few at a time, and prints what is wrong with each. */
export async function run(list, isAgain) {
  await mkdir(folder, { recursive: true });
  const server = await serve(pages);
  const results = [];
  const left = [...list];
  const work = async () => {
    for (let page = left.shift(); page; page = left.shift()) {
      const result = await compare(page, server.url, isAgain).catch((error) => ({
        page: page.name,
        problems: [String(error.message).split('\n').slice(0, 3).join(' ')],
      }));
      results.push(result);
      process.stdout.write(
        `${result.page}: ${result.problems.length ? result.problems.join('; ') : 'as it must be'}\n`,
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    server.close();
  }
  return results;
}

async function main() {
  const flags = ['quick', 'again', 'help'].map((name) => [name, { type: 'boolean' }]);
  const { values, positionals } = parseArgs({ options: Object.fromEntries(flags), allowPositionals: true });
  if (values.help) return process.stdout.write(usage);
  const chosen = values.quick ? pages.filter(({ name }) => quick.includes(name)) : pages;
  const isWanted = ({ name }) => !positionals.length || positionals.some((part) => name.includes(part));
  const results = await run(chosen.filter(isWanted), values.again);
  const count = (key) => results.filter((result) => result[key]).length;
  process.stdout.write(
    `${results.length} pages: ${count('open')} open, ${count('first')} read first; ${count('quiet')} twins quiet\n`,
  );
  const passed = results.filter(({ first, quiet }) => first && quiet).length;
  process.stdout.write(`${passed} passed, ${results.length - passed} failed\n`);
  process.exitCode = passed === results.length ? 0 : 1;
}

if (process.argv[1] === new URL(import.meta.url).pathname) await main();
