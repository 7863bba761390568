// Records real applications and compares each with a plain visit (docs/real-apps.md).
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { apps } from './apps.mjs';
import { explore } from './explore.mjs';
import { install, place } from './install.mjs';
import { endOnSignals } from './processes.mjs';
import { freePort, gate } from './serve.mjs';
import { difference, plainly, recorded } from './visit.mjs';

const usage = `usage: script/real-apps [OPTION…] [APP…]

Installs real applications into target/real-apps, visits each with the same steps in a plain browser and by
\`interloper record web\`, and compares the visits. The results are printed and written to
target/real-apps/results.json. Without APP, all applications are visited; a part of a name chooses all that
contain it.

  --explore S   explore each application for S seconds instead, and watch the memory of the recorder
  --keep        keep recordings, screenshots and logs of the servers, in target/real-apps/visits
  --quick       visit only the applications that CI visits
  --list        list the applications
  --install     only install
  --help        print this text
`;

/** A channel of a pixel may differ by this much, out of 255. */
const channelTolerance = 16;
/** So many of the pixels may differ more: a cursor that blinks, a letter at another sub-pixel. */
const pixelTolerance = 0.002;

/** The applications that CI visits: they come from npm only, and are installed quickly. */
const quick = ['vite-react-build', 'swagger-ui', 'reveal.js'];

/** The lines that only one of two visits has, with a sign for the visit. */
function onlyOnOneSide(plain, recorded) {
  const left = [...plain];
  const added = recorded.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...left.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
}

/** The groups of a report: title, rank, labels, and where the accesses of the first race are. */
function groupsOf({ groups, races }) {
  const byId = new Map(races.map((race) => [race.id, race]));
  const at = ({ kind, event_type, source }) =>
    `${kind} in ${event_type ?? '?'} at ${source ? `${source.file}:${source.line}` : '?'}`;
  return groups.map(({ title, rank, races }) => {
    const all = races.map((id) => byId.get(id));
    const open = all.filter((race) => !race.covered && !race.hidden);
    const [first] = open.length ? open : all;
    const labels = [...new Set(all.flatMap((race) => race.labels))];
    const hints = [...new Set(all.flatMap((race) => race.hints?.map(({ kind }) => kind) ?? []))];
    const state = open.length ? 'open' : all.some((race) => !race.hidden) ? 'covered' : 'hidden';
    const places = { location: first.location, first: at(first.first), second: at(first.second) };
    return { rank, state, title, races: races.length, labels, hints, ...places, why: first.why };
  });
}

/** Serves an application anew for one use, behind a gate that the use opens. */
async function whileServed(app, folder, ports, name, use) {
  const visits = `${place}visits/${app.name}/`;
  const state = `${visits}${name}.state/`;
  await rm(state, { recursive: true, force: true });
  await mkdir(state, { recursive: true });
  const [port, behind, other] = ports;
  // The recorder would keep an earlier recording.
  await rm(`${visits}recording.ilt`, { force: true });
  const log = `${visits}${name}.server.log`;
  const server = await app.serve({ folder, state, port: behind, other, log });
  const before = await gate(port, behind);
  try {
    return await use(`http://127.0.0.1:${port}${app.path ?? '/'}`, before, visits);
  } finally {
    await before.stop();
    await server.stop();
  }
}

const stepsOf = ({ steps }) => new URL(`steps/${steps}`, import.meta.url).pathname;

async function compare(app, folder) {
  const ports = [await freePort(), await freePort(), await freePort()];
  const steps = stepsOf(app);
  const plain = await whileServed(app, folder, ports, 'plain', (url, before, visits) =>
    plainly(url, steps, `${visits}plain.png`, before),
  );
  const seen = await whileServed(app, folder, ports, 'recorded', (url, before, visits) => {
    const files = { out: `${visits}recording.ilt`, log: `${visits}interloper.log` };
    return recorded(url, steps, `${visits}recorded.png`, before, files);
  });
  const pictures = ['plain', 'recorded'].map((name) => readFile(`${place}visits/${app.name}/${name}.png`));
  const [one, two] = await Promise.all(pictures.map((file) => file.catch(() => null)));
  const pixels = one && two ? await difference(one, two, channelTolerance) : { part: 1 };
  const result = { app: app.name, pixels, milliseconds: { plain: plain.took, recorded: seen.took } };
  // A warning about the time that something took, and how often a failing request is repeated, depend on time.
  const stable = {
    console: (lines) => lines.filter((line) => !app.timed?.test(line)),
    failed: (lines) => [...new Set(lines)],
    sockets: (lines) => lines,
  };
  for (const [what, of] of Object.entries(stable))
    result[what] = { plain: of(plain[what]), differences: onlyOnOneSide(of(plain[what]), of(seen[what] ?? [])) };
  if (seen.error) return { ...result, error: seen.error };
  const { operations, events } = seen.report.trace;
  const groups = groupsOf(seen.report);
  return { ...result, operations, events, unknown: seen.unknown, notes: seen.notes, groups };
}

const sum = (counts) => Object.values(counts ?? {}).reduce((one, two) => one + two, 0);

/** What is wrong with a visit, in words. */
function problems(result) {
  const found = [];
  if (result.error) found.push(`error: ${result.error.split('\n').at(-1)}`);
  if (result.pixels.part > pixelTolerance) {
    const { part, box = 'everywhere' } = result.pixels;
    found.push(`${(part * 100).toFixed(2)} % of the pixels differ, ${box}`);
  }
  for (const what of ['console', 'failed', 'sockets'])
    for (const line of result[what].differences) found.push(`${what}: ${line}`);
  for (const [name, count] of Object.entries(result.unknown ?? {})) found.push(`${count} unknown: ${name}`);
  return found;
}

const columns = [
  'application',
  'pixels',
  'console',
  'failed',
  'sockets',
  'events',
  'unknown',
  'open',
  'groups',
  'time',
];

function row(result) {
  const same = (what) =>
    result[what].differences.length
      ? `${result[what].differences.length} differ`
      : `same (${result[what].plain.length})`;
  const open = result.groups?.filter(({ state }) => state === 'open').length ?? '-';
  const { plain, recorded } = result.milliseconds;
  const cells = [
    result.app,
    `${(result.pixels.part * 100).toFixed(2)} %`,
    same('console'),
    same('failed'),
    same('sockets'),
  ];
  cells.push(result.events ?? 'failed', result.unknown ? sum(result.unknown) : '-', open, result.groups?.length ?? '-');
  return [...cells, `${(plain / 1000).toFixed(1)} → ${(recorded / 1000).toFixed(1)} s`].map(String);
}

/** Prints rows in columns as wide as their widest cell. */
function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function chosen(names, isQuick) {
  for (const name of names)
    if (!apps.some((app) => app.name.includes(name))) {
      process.stderr.write(`no application is called ${name}; --list lists them\n`);
      process.exit(2);
    }
  const all = isQuick ? apps.filter((app) => quick.includes(app.name)) : apps;
  return names.length ? all.filter((app) => names.some((name) => app.name.includes(name))) : all;
}

function options() {
  const flags = ['keep', 'quick', 'list', 'install', 'help'].map((name) => [name, { type: 'boolean' }]);
  try {
    return parseArgs({
      options: { explore: { type: 'string' }, ...Object.fromEntries(flags) },
      allowPositionals: true,
    });
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    process.exit(2);
  }
}

/** Runs `use` for every application, one after another; a failure of one does not keep the others from running. */
async function forEach(list, use) {
  const results = [];
  for (const app of list) {
    process.stderr.write(`${app.name}\n`);
    try {
      const key = `${app.prepare ?? ''}`;
      const folder = await install(app.package, { key, prepare: app.prepare });
      results.push(await use(app, folder));
    } catch (error) {
      results.push({ app: app.name, failure: error.message });
      process.stderr.write(`${app.name}: ${error.message}\n`);
    }
    await writeFile(`${place}results.json`, JSON.stringify(results, null, 2));
  }
  return results;
}

async function main() {
  const { values, positionals } = options();
  const list = chosen(positionals, values.quick);
  if (values.help) return process.stdout.write(usage);
  if (values.list) return process.stdout.write(`${list.map(({ name }) => name).join('\n')}\n`);
  const seconds = Number(values.explore ?? 0);
  if (values.explore && !(seconds > 0)) {
    process.stderr.write(`--explore ${values.explore}: expected a number of seconds\n`);
    process.exit(2);
  }
  await mkdir(place, { recursive: true });
  const cleanUp = () => (values.keep ? undefined : rm(`${place}visits`, { recursive: true, force: true }));
  endOnSignals(cleanUp);
  if (values.install) {
    await forEach(list, ({ name }) => ({ app: name }));
    return;
  }
  if (seconds) return exploreAll(list, seconds, cleanUp);
  const results = await forEach(list, async (app, folder) => {
    const result = await compare(app, folder);
    for (const problem of problems(result)) process.stderr.write(`  ${problem}\n`);
    return result;
  });
  process.stdout.write(`${table([columns, ...results.filter(({ failure }) => !failure).map(row)])}\n`);
  await cleanUp();
  const failed = results.filter((result) => result.failure || problems(result).length).length;
  process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

async function exploreAll(list, seconds, cleanUp) {
  const results = await forEach(list, async (app, folder) => {
    const ports = [await freePort(), await freePort(), await freePort()];
    return whileServed(app, folder, ports, 'explored', async (url, before, visits) => {
      before.open();
      return { app: app.name, ...(await explore(url, seconds, visits)) };
    });
  });
  const heads = ['application', 'exit', 'time', 'events', 'recorder RSS', 'browser RSS', 'left over', 'problems'];
  const rows = results.map((result) => [result.app, ...(result.cells ?? ['', '', '', '', '', '', result.failure])]);
  process.stdout.write(`${table([heads, ...rows.map((row) => row.map(String))])}\n`);
  await cleanUp();
  if (results.some((result) => result.failure || result.problems?.length)) process.exitCode = 1;
}

await main();
process.exit();
