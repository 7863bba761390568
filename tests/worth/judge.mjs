// Prints the first five open groups of recordings of real applications, each with its source lines and with the
// judgement of somebody who has read the application's code, and the precision of the reading order at 1, 3 and 5
// (docs/worth-reading.md).
//
// usage: node tests/worth/judge.mjs [--quiet] FOLDER [APP…]
// FOLDER holds recordings APP.ilt, or folders APP with recording.ilt, as `script/real-apps --keep` leaves them in
// target/real-apps/visits. `judged/APP.json` lists judgements: a pattern of locations, a verdict and its reason.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { program } from '../apps/drive.mjs';
import { openGroups } from './run.mjs';

/** How many groups of a report are judged. */
const first = 5;
const judged = new URL('judged/', import.meta.url).pathname;

/** The recordings in a folder, by application. */
export function recordings(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) =>
      name.endsWith('.ilt')
        ? [basename(name, '.ilt'), join(folder, name)]
        : [name, join(folder, name, 'recording.ilt')],
    )
    .filter(([, file]) => existsSync(file));
}

/** The report on a recording, unless it cannot be read. */
export function report(file) {
  const options = ['check', file, '--format', 'json', '--fail-on', 'never'];
  // starts: own
  const { stdout, stderr, status } = spawnSync(program, options, { maxBuffer: 1 << 28, encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout);
  process.stderr.write(stderr);
  return undefined;
}

/** The judgement of a group, or none: of its application, or of all. */
export function judgement(app, { location }) {
  const name = location.replace(/@\d+/g, '');
  for (const list of [app, 'all']) {
    const file = `${judged}${list}.json`;
    const entries = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
    const found = entries.find((entry) => new RegExp(entry.location).test(name));
    if (found) return found;
  }
  return undefined;
}

const place = ({ kind, event_type, source, value }) =>
  `${kind} in ${event_type} at ${source ? `${source.file}:${source.line}:${source.column}` : '?'} of ${value ?? '?'}`;

function print(app, leads) {
  process.stdout.write(`\n${app}: ${leads.length} open groups\n`);
  for (const [at, lead] of leads.slice(0, first).entries()) {
    const { verdict = 'not judged', why = '' } = judgement(app, lead) ?? {};
    const hints = lead.hints.map(({ kind }) => kind).join(', ');
    process.stdout.write(`  ${at + 1} ${verdict}: ${lead.location} ${hints && `(${hints})`}\n`);
    if (why) process.stdout.write(`      ${why}\n`);
    for (const side of [lead.first, lead.second]) process.stdout.write(`      ${place(side)}\n`);
  }
}

/** The shares of useful groups up to 1, 3 and 5, over all applications. */
function precision(all) {
  return [1, 3, 5].map((upTo) => {
    const read = all.flatMap((verdicts) => verdicts.slice(0, upTo));
    const useful = read.filter((verdict) => verdict === 'useful').length;
    return `${useful} of ${read.length} at ${upTo}`;
  });
}

function main() {
  const options = { quiet: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [folder, ...apps] = positionals;
  const all = [];
  for (const [app, file] of recordings(folder)) {
    if (apps.length && !apps.some((part) => app.includes(part))) continue;
    const found = report(file);
    if (!found) continue;
    const leads = openGroups(found);
    if (!values.quiet) print(app, leads);
    all.push(leads.slice(0, first).map((lead) => judgement(app, lead)?.verdict ?? 'not judged'));
  }
  const count = (verdict) => all.flat().filter((one) => one === verdict).length;
  const counts = ['useful', 'useless', 'false', 'not judged'].map((verdict) => `${count(verdict)} ${verdict}`);
  const quiet = all.filter((verdicts) => verdicts.length === 0).length;
  process.stdout.write(
    `\n${all.length} applications, ${quiet} with nothing to read; first five groups: ${counts.join(', ')}\n`,
  );
  process.stdout.write(`useless in the mean: ${(count('useless') / all.length).toFixed(2)} of five\n`);
  process.stdout.write(`worth reading: ${precision(all).join(', ')}\n`);
  process.exitCode = count('false') || count('not judged') ? 1 : 0;
}

if (process.argv[1] === new URL(import.meta.url).pathname) main();
