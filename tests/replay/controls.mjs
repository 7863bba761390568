// Records the pages of tests/replay/pages, replays the race of each, and compares the verdict with what it must be.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { program } from '../apps/drive.mjs';
import { serve } from './server.mjs';

// starts: own
const execute = promisify(execFile);
/** How many milliseconds the replays of one race may take. */
const LONGEST = 100_000;

async function record(page, url, folder) {
  const name = `${folder}${page.name}`;
  await writeFile(`${name}.steps`, page.steps);
  await rm(`${name}.ilt`, { force: true });
  const options = ['--steps', `${name}.steps`, '--out', `${name}.ilt`, '--no-check', '--time', '0.3'];
  // starts: own
  await execute(program, ['record', 'web', `${url}/${page.name}/`, ...options], { timeout: 60_000 });
  return `${name}.ilt`;
}

/** The first race of a report at a location, among the open ones if there are any. */
async function find(file, location) {
  // starts: own
  const options = { maxBuffer: 1 << 28 };
  const { stdout } = await execute(program, ['check', file, '--format', 'json', '--fail-on', 'never'], options);
  const { races } = JSON.parse(stdout);
  const found = races.filter((race) => location.test(race.location));
  return found.find((race) => !race.covered && !race.hidden) ?? found.find((race) => !race.covered) ?? found[0];
}

/** Replays a race, and returns its verdict. */
async function replay(file, race, act = () => {}) {
  const args = ['replay', file, '--race', String(race.id), '--format', 'json', '--budget', '60'];
  // The exit status tells what was found, and standard output has it.
  // starts: own
  const running = execute(program, args, { timeout: LONGEST });
  act(running.child);
  const done = await running.catch((error) => error);
  if (!done.stdout) throw done;
  const { races } = JSON.parse(done.stdout);
  return races.find(({ id }) => id === race.id)?.replay ?? races[0].replay;
}

/** Whether a verdict is the one that a page must have. */
function isRight({ verdict, kind, bad, guarded }, found) {
  if (verdict === 'any') return true;
  const isSame = found?.verdict === verdict && (!kind || found.kind === kind);
  return isSame && (!bad || found.bad === bad) && (!guarded || found.guarded);
}

/** Whether a race is no longer there with what its replay has taught, and the rule for that is named. */
async function isLearned(file, race) {
  const learned = `${file}.learned.json`;
  await rm(learned, { force: true });
  const options = ['--race', String(race.id), '--learn', learned, '--out', `${file}.txt`];
  // starts: own
  await execute(program, ['replay', file, ...options], { timeout: LONGEST });
  const check = ['check', file, '--format', 'json', '--fail-on', 'never', '--learned', learned];
  const settings = { maxBuffer: 1 << 28 };
  // starts: own
  const { races } = JSON.parse((await execute(program, check, settings)).stdout);
  const [from, to] = [race.first.op, race.second.op].map(String);
  const order = async (...more) => {
    // starts: own
    const { stdout } = await execute(program, ['order', file, from, to, '--format', 'json', ...more]);
    return JSON.parse(stdout);
  };
  const path = (await order('--learned', learned)).path.map(({ rule }) => rule);
  const isGone = !races.some(({ fingerprint }) => fingerprint === race.fingerprint);
  return isGone && path.includes('LEARNED') && (await order()).relation === 'unordered';
}

/** Replays the race of a page. Returns what is wrong, or nothing. */
async function judge(page, url, folder) {
  const file = await record(page, url, folder);
  const race = await find(file, page.location);
  const found = race && (await replay(file, race));
  if (isRight(page, found)) return page.learned && !(await isLearned(file, race)) ? 'not learned' : '';
  const held = found?.held ? ` held ${found.held.at} until ${found.held.until}` : '';
  const words = found ? [found.verdict, found.kind, ...found.notes].filter(Boolean).join(', ') : 'no race';
  return `${words}, not ${[page.verdict, page.kind].filter(Boolean).join(', ')};${held}`;
}

/** The processes that a process has started, with theirs. */
function children(parent) {
  const stat = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    } catch {
      return [];
    }
  };
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const own = all.filter((pid) => Number(stat(pid)[1]) === parent).map(Number);
  return own.flatMap((pid) => [pid, ...children(pid)]);
}

/** Kills the browsers of a replay again and again. It must end with a message, and leave no process. */
async function killed(page, url, folder) {
  const file = await record(page, url, folder);
  const race = await find(file, page.location);
  let timer;
  const seen = new Set();
  const kill = ({ pid }) => {
    timer = setInterval(() => {
      for (const child of children(pid)) {
        try {
          process.kill(child, 'SIGKILL');
          seen.add(child);
        } catch {
          // The process has ended by itself, or with its parent.
        }
      }
    }, 700);
  };
  const done = await replay(file, race, kill).catch((error) => error);
  clearInterval(timer);
  if (!seen.size) return 'no browser was killed';
  if (done.killed) return 'the replay hung';
  const words = done.stderr ?? done.notes?.join();
  return /browser|page/.test(words ?? '') ? '' : `no message, but ${JSON.stringify(done).slice(0, 200)}`;
}

/** Runs the pages, and returns how many were right and wrong. */
export async function run(pages, folder) {
  const server = await serve(pages);
  let failed = 0;
  for (const page of pages) {
    const act = page.isKilled ? killed : judge;
    const began = Date.now();
    const wrong = await act(page, server.url, folder).catch((error) => error.message.split('\n').slice(0, 3).join(' '));
    if (wrong) failed++;
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    process.stdout.write(`${page.name}: ${wrong || 'as it must be'} (${seconds} s)\n`);
  }
  server.close();
  return { passed: pages.length - failed, failed };
}
