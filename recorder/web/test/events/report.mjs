// The report of a recording: written as a trace, and checked by the program.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('../../../../', import.meta.url).pathname;
/** The program. */
export const interloper = process.env.INTERLOPER ?? `${root}target/debug/interloper`;

/** The report of `interloper check` on the lines of a recording. */
export function report(lines, ...args) {
  const file = join(mkdtempSync(join(tmpdir(), 'interloper-')), 'page.trace');
  const isHeader = (line) => line.startsWith('location ');
  const operations = lines.filter((line) => !isHeader(line) && !line.startsWith('#'));
  const text = operations.map((line) => `main ${line.replace(/ site=\d+/, '')}`);
  writeFileSync(file, ['interloper-trace 1', 'model web', ...lines.filter(isHeader), ...text, ''].join('\n'));
  // starts: own
  const { stdout, stderr } = spawnSync(interloper, ['check', file, '--format', 'json', '--fail-on', 'never', ...args]);
  if (!stdout.length) throw new Error(`interloper check: ${stderr}`);
  return JSON.parse(stdout);
}
