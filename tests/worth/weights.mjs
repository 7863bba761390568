// Prints the precision of the reading order at 1, 3 and 5, for the weights of crates/triage/src/rank.rs and for
// changed ones, on the recordings of the last run of `script/worth` and on others that are given. Every second page
// is held back: weights are chosen on the first half, and the second half shows whether they hold elsewhere.
//
// usage: node tests/worth/weights.mjs [JUDGED.json…]
// JUDGED.json maps files of recordings to lists of patterns of locations that are worth reading.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { program } from '../apps/drive.mjs';
import { openGroups, pages } from './run.mjs';

const folder = new URL('../../target/worth/', import.meta.url).pathname;
const source = new URL('../../crates/triage/src/rank.rs', import.meta.url);

/** The weights of reasons and hints, as the product has them. */
function shipped() {
  const text = readFileSync(source, 'utf8');
  const names = Object.fromEntries(
    Array.from(text.matchAll(/Self::(\w+) => "([\w-]+)"/g), ([, id, name]) => [id, name]),
  );
  const reasons = Array.from(text.matchAll(/\(Reason::(\w+), (\d+)\)/g), ([, id, weight]) => [
    names[id],
    Number(weight),
  ]);
  const hints = Array.from(text.matchAll(/\("([\w-]+)", (\d+)\)/g), ([, name, weight]) => [name, Number(weight)]);
  return { reasons: Object.fromEntries(reasons), hints: Object.fromEntries(hints) };
}

/** The sum of the weights of a race. */
function sum(race, { reasons, hints }) {
  const named = race.hints.map(({ kind }) => hints[kind]).filter((weight) => weight !== undefined);
  const weight = (reason) => (reason === 'hinted' && named.length ? Math.max(...named) : (reasons[reason] ?? 0));
  return race.rank_reasons.map(weight).reduce((one, two) => one + two, 0);
}

/** For each of 1, 3 and 5, the share of the groups up to there that are worth reading. */
function precision(cases, weights) {
  return [1, 3, 5].map((first) => {
    const read = cases.flatMap(({ leads, isWorth }) =>
      leads
        .toSorted((one, two) => sum(two, weights) - sum(one, weights) || one.rank - two.rank)
        .slice(0, first)
        .map(isWorth),
    );
    return read.length ? read.filter(Boolean).length / read.length : 1;
  });
}

function report(file) {
  // starts: own
  const { stdout } = spawnSync(program, ['check', file, '--format', 'json', '--fail-on', 'never'], {
    maxBuffer: 1 << 28,
  });
  return JSON.parse(stdout);
}

function cases() {
  const found = [];
  for (const page of pages) {
    const file = `${folder}${page.name}.ilt`;
    if (existsSync(file))
      found.push({ leads: openGroups(report(file)), isWorth: ({ location }) => page.location.test(location) });
  }
  for (const list of process.argv.slice(2))
    for (const [file, patterns] of Object.entries(JSON.parse(readFileSync(list, 'utf8')))) {
      const isWorth = ({ location }) => patterns.some((pattern) => new RegExp(pattern).test(location));
      found.push({ leads: openGroups(report(file)), isWorth });
    }
  return found;
}

const all = cases();
const halves = [0, 1].map((half) => all.filter((_, at) => at % 2 === half));
const rows = [['as shipped', shipped()]];
for (const kind of ['reasons', 'hints'])
  for (const name of Object.keys(shipped()[kind])) {
    const without = shipped();
    without[kind][name] = 0;
    rows.push([`without ${name}`, without]);
  }
const percent = (share) => `${Math.round(share * 100)} %`.padStart(6);
process.stdout.write(`${'weights'.padEnd(34)}   at 1   at 3   at 5 | held back: 1, 3, 5   (${all.length} reports)\n`);
for (const [name, weights] of rows) {
  const [chosen, held] = halves.map((half) => precision(half, weights).map(percent).join(' '));
  process.stdout.write(`${name.padEnd(34)} ${chosen} | ${held}\n`);
}
