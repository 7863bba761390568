// Starts the programs of a run, each in a process group of its own, and ends them all when the run ends in
// whatever way: no server or browser outlives this process, except after `kill -9`.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

const running = new Set();

/** Sends a signal to a process and everything that it has started. */
function signal(child, name) {
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group is gone.
  }
}

process.on('exit', () => {
  for (const child of running) signal(child, 'SIGKILL');
});

/** Calls `cleanUp` and then ends this process when a signal asks for it. */
export function endOnSignals(cleanUp) {
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
  for (const [name, number] of Object.entries(numbers))
    process.once(name, async () => {
      process.stderr.write(`\n${name}: ending the servers and browsers\n`);
      await Promise.all([...running].map(end));
      await cleanUp();
      process.exit(128 + number);
    });
}

/**
 * Starts a program and collects its output, also in the file `log`. `options` are those of `spawn`. The
 * promise `ended` resolves to the exit status, or to the name of the signal that ended the program.
 */
export function start(command, args, { log, ...options } = {}) {
  // starts: apt-get, dpkg-deb, node, npm, python3, tar, own
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  running.add(child);
  const file = log && createWriteStream(log);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
      file?.write(text);
    });
  const ended = new Promise((resolve, reject) => {
    child.on('error', (error) => (running.delete(child), reject(new Error(`${command}: ${error.message}`))));
    child.on('close', (status, name) => {
      file?.end();
      resolve(status ?? name);
    });
  });
  ended.catch(() => {});
  return { child, output, ended };
}

/** Ends a program and its group, and waits until the program is gone. */
export async function end(child) {
  if (!running.has(child)) return;
  const gone = new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', resolve);
  });
  signal(child, 'SIGTERM');
  const timer = setTimeout(() => signal(child, 'SIGKILL'), 3000);
  await gone;
  clearTimeout(timer);
  // What the program has started may outlive it, but only in its group.
  signal(child, 'SIGKILL');
  running.delete(child);
}

/** Runs a program to its end, and returns its output. A failure is an error that quotes the last output. */
export async function run(command, args, options = {}) {
  const { child, output, ended } = start(command, args, options);
  const status = await ended;
  await end(child);
  if (status !== 0) {
    const last = `${output.stdout}${output.stderr}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${last}`);
  }
  return output.stdout;
}
