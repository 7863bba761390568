// Records real applications and compares each with a plain visit (docs/real-apps.md).
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { apps } from './apps.mjs';
import { explore } from './explore.mjs';
import { install, place } from './install.mjs';
import { endOnSignals } from './processes.mjs';
import { replay } from './replay.mjs';
import { freePort, gate } from './serve.mjs';
import { difference, plainly, recorded } from './visit.mjs';

const usage = `usage: script/real-apps [OPTION…] [APP…]

Installs real applications into target/real-apps, visits each with the same steps in a plain browser and by
\`interloper record web\`, and compares the visits. The results are printed and written to
target/real-apps/results.json. Without APP, all applications are visited; a part of a name chooses all that
contain it.

  --explore S   explore each application for S seconds instead, at the lowest priority, and watch the memory of
                the recorder
  --repeat N    record each application N times instead, and compare the fingerprints of the open races
  --replay N    record each application and replay its first N open groups instead, without the server
  --jobs N      explore, repeat or replay N applications side by side
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
  // A report describes only the first of the races that are not open, so that groups may be without any.
  const described = groups.filter(({ races }) => races.length);
  return described.map(({ title, rank, races }) => {
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
      options: {
        explore: { type: 'string' },
        repeat: { type: 'string' },
        replay: { type: 'string' },
        jobs: { type: 'string' },
        ...Object.fromEntries(flags),
      },
      allowPositionals: true,
    });
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    process.exit(2);
  }
}

const installed = ({ package: name, prepare }) => install(name, { key: `${prepare ?? ''}`, prepare });

/**
 * Runs `use` for every application, `jobs` side by side; a failure of one does not keep the others from running.
 * Installations come one after another, because applications share them.
 */
async function forEach(list, use, jobs = 1) {
  const results = [];
  const waiting = [...list];
  let installing = Promise.resolve();
  const work = async () => {
    for (let app = waiting.shift(); app; app = waiting.shift()) {
      process.stderr.write(`${app.name}\n`);
      const at = list.indexOf(app);
      try {
        const folder = installing.then(() => installed(app));
        installing = folder.catch(() => {});
        results[at] = await use(app, await folder);
      } catch (error) {
        results[at] = { app: app.name, failure: error.message };
        process.stderr.write(`${app.name}: ${error.message}\n`);
      }
      await writeFile(`${place}results.json`, JSON.stringify(results.filter(Boolean), null, 2));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

async function main() {
  const { values, positionals } = options();
  const list = chosen(positionals, values.quick);
  if (values.help) return process.stdout.write(usage);
  if (values.list) return process.stdout.write(`${list.map(({ name }) => name).join('\n')}\n`);
  const number = (name, otherwise) => {
    const found = Number(values[name] ?? otherwise);
    if (Number.isInteger(found) && (found > 0 || values[name] === undefined)) return found;
    process.stderr.write(`--${name} ${values[name]}: expected a number\n`);
    process.exit(2);
  };
  const [seconds, times, jobs] = [number('explore', 0), number('repeat', 0), number('jobs', 1)];
  const most = number('replay', 0);
  await mkdir(place, { recursive: true });
  const cleanUp = () => (values.keep ? undefined : rm(`${place}visits`, { recursive: true, force: true }));
  endOnSignals(cleanUp);
  if (values.install) {
    await forEach(list, ({ name }) => ({ app: name }));
    return;
  }
  if (seconds) return exploreAll(list, seconds, jobs, cleanUp);
  if (times) return repeatAll(list, times, jobs, cleanUp);
  if (most) return replayAll(list, most, jobs, cleanUp);
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

/** Prints a table of cells with a line for each application, and its failure in the last column. */
async function conclude(heads, results, cleanUp) {
  const failed = (failure) => [...heads.slice(2).map(() => ''), failure];
  const rows = results.map(({ app, cells, failure }) => [app, ...(cells ?? failed(failure))].map(String));
  process.stdout.write(`${table([heads, ...rows])}\n`);
  await cleanUp();
  if (results.some((result) => result.failure || result.problems?.length)) process.exitCode = 1;
}

async function exploreAll(list, seconds, jobs, cleanUp) {
  // Servers, recorders and browsers inherit the priority.
  setPriority(constants.priority.PRIORITY_LOW);
  const use = async (app, folder) => {
    const ports = [await freePort(), await freePort(), await freePort()];
    return whileServed(app, folder, ports, 'explored', async (url, before, visits) => {
      before.open();
      return { app: app.name, ...(await explore(url, seconds, visits)) };
    });
  };
  const heads = ['application', 'exit', 'time', 'sequences', 'recorder RSS', 'browser RSS', 'left over', 'problems'];
  return conclude(heads, await forEach(list, use, jobs), cleanUp);
}

/** The fingerprints of the open races of a report, each with its location. */
function openPrints({ races }) {
  const open = races.filter((race) => !race.covered && !race.hidden);
  return new Map(open.map(({ fingerprint, location }) => [fingerprint, location]));
}

async function repeatAll(list, times, jobs, cleanUp) {
  const use = async (app, folder) => {
    const ports = [await freePort(), await freePort(), await freePort()];
    const prints = [];
    for (let time = 0; time < times; time++)
      await whileServed(app, folder, ports, 'repeated', async (url, before, visits) => {
        const files = { out: `${visits}recording.ilt`, log: `${visits}interloper.log` };
        const { report, error } = await recorded(url, stepsOf(app), `${visits}recorded.png`, before, files);
        if (error) throw new Error(error);
        prints.push(openPrints(report));
      });
    const all = new Map(prints.flatMap((one) => [...one]));
    const problems = [...all].filter(([print]) => !prints.every((one) => one.has(print)));
    const shown = problems.map(([print, location]) => `${prints.filter((one) => one.has(print)).length}x ${location}`);
    const cells = [prints.map(({ size }) => size).join(' '), all.size - problems.length, shown.join('; ')];
    return { app: app.name, cells, problems: shown };
  };
  const heads = ['application', 'open', 'in each', 'not in each'];
  return conclude(heads, await forEach(list, use, jobs), cleanUp);
}

async function replayAll(list, most, jobs, cleanUp) {
  const use = async (app, folder) => {
    const ports = [await freePort(), await freePort(), await freePort()];
    const files = await whileServed(app, folder, ports, 'replayed', async (url, before, visits) => {
      const files = { out: `${visits}recording.ilt`, log: `${visits}interloper.log` };
      const { error } = await recorded(url, stepsOf(app), `${visits}recorded.png`, before, files);
      if (error) throw new Error(error);
      return files;
    });
    return { app: app.name, ...(await replay(files.out, most, files.log, app.secrets)) };
  };
  const heads = ['application', 'open', 'verdicts', 'masked', 'time', 'the first five'];
  return conclude(heads, await forEach(list, use, jobs), cleanUp);
}

await main();
process.exit();
