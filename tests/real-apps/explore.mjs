// Explores an application for a time, and watches the recorder: that it ends in time and without an error, that no
// process outlives it, and that its memory does not grow with the time.
import { readdir, readFile } from 'node:fs/promises';
import { program } from '../apps/drive.mjs';
import { end, start } from './processes.mjs';

/** How long after its time a recorder may need to end and to analyse the recording, in seconds. */
const patience = 300;
/** How many inputs a sequence has: so many that most applications do not run out of sequences. */
const depth = 4;
/** Memory may grow by this factor from the second quarter of the time to the last one. */
const growth = 1.5;
/** Memory below this is not judged: it is what any recorder needs. In MB. */
const floor = 150;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The processes of the machine: parent, memory in MB, and command line. */
async function processes() {
  const found = new Map();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
      // Field 24 is the resident set in pages of 4 KB; the first field here is field 3.
      found.set(Number(pid), { parent: Number(fields[1]), rss: (Number(fields[21]) * 4) / 1024, command });
    } catch {
      // The process has ended.
    }
  return found;
}

/** The memory of a process, and that of everything that it has started. */
function memory(all, pid) {
  const sum = { own: all.get(pid)?.rss ?? 0, rest: 0 };
  const isBelow = (id) => {
    for (let at = all.get(id)?.parent; at; at = all.get(at)?.parent) if (at === pid) return true;
    return false;
  };
  for (const [id, { rss }] of all) if (isBelow(id)) sum.rest += rss;
  return sum;
}

const mean = (list) => list.reduce((one, two) => one + two, 0) / Math.max(list.length, 1);

/** The means over the second and the last quarter of the samples. */
function quarters(samples) {
  const quarter = Math.floor(samples.length / 4);
  return [mean(samples.slice(quarter, 2 * quarter)), mean(samples.slice(-quarter))];
}

const shown = ([early, late]) => `${early.toFixed(0)} → ${late.toFixed(0)} MB`;

/** Explores a page. Returns cells for the table, the samples of the memory, and the problems. */
export async function explore(url, seconds, visits) {
  const out = `${visits}explored.ilt`;
  const args = ['record', 'web', url, '--explore', '--time', String(seconds), '--sequences', '100000'];
  // At the lowest priority, a page may take long to load.
  args.push('--depth', String(depth), '--load-timeout', '120', '--out', out);
  args.push('--format', 'json', '--fail-on', 'never', '--no-check');
  const started = Date.now();
  const { child, output, ended } = start(program, args, { log: `${visits}explore.log` });
  const samples = [];
  let status;
  ended.then(
    (it) => (status = it),
    (error) => (status = error.message),
  );
  const problems = [];
  while (status === undefined) {
    samples.push(memory(await processes(), child.pid));
    await sleep(1000);
    if (Date.now() - started > (seconds + patience) * 1000) {
      problems.push(`it hangs: it has not ended ${patience} s after its time`);
      break;
    }
  }
  const took = Math.round((Date.now() - started) / 1000);
  if (status !== 0) problems.push(`it ended with ${status}: ${output.stderr.trim().split('\n').at(-1)}`);
  if (took < seconds - 1 && !/all there are/.test(output.stderr))
    problems.push(`it ended after ${took} s of ${seconds}`);
  await sleep(1000);
  const mark = `interloper-browser-${child.pid}-`;
  const left = [...(await processes()).values()].filter(({ command }) => command.includes(mark));
  for (const { command } of left) problems.push(`a process is left over: ${command.slice(0, 80)}`);
  await end(child);
  const own = quarters(samples.map(({ own }) => own));
  const rest = quarters(samples.map(({ rest }) => rest));
  if (own[1] > floor && own[1] > growth * own[0]) problems.push(`the recorder's memory grows: ${shown(own)}`);
  const notes = output.stderr.trim().split('\n');
  const sequences = /explored (\d+) sequences/.exec(output.stderr)?.[1] ?? '';
  const cells = [status, `${took} s`, sequences, shown(own), shown(rest), left.length, problems.join('; ')];
  return { cells, samples, problems, notes };
}
