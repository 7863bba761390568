// Prints the functions of a recorded benchmark by self time, from Chromium's profiler.
//
//   node profile.mjs NAME [--plain]
import { readFileSync } from 'node:fs';
import { close, open, visit } from '../../recorder/web/test/events/page.mjs';
import { folder, markup, suites } from './suites.mjs';

const [name, flag] = process.argv.slice(2);
const files = { '/': markup(name), '/page.js': readFileSync(new URL('page.js', import.meta.url), 'utf8') };
for (const file of ['base', ...suites[name]])
  files[`/${file}.js`] = readFileSync(new URL(`${file}.js`, folder), 'utf8');

let profile;
async function act(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.start');
  await page.waitForRequest('**/result', { timeout: 300_000 });
  ({ profile } = await session.send('Profiler.stop'));
}
await open();
await visit(files, { recorded: flag !== '--plain', act });
await close();

const self = new Map();
const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
profile.samples.forEach((id, at) => {
  const { callFrame: frame, deoptReason } = nodes.get(id);
  const file = frame.url.split('/').pop() || '(hooks)';
  const key = `${frame.functionName || '(anonymous)'} ${file}:${frame.lineNumber + 1}:${frame.columnNumber + 1} ${deoptReason ?? ''}`;
  self.set(key, (self.get(key) ?? 0) + profile.timeDeltas[at]);
});
const total = [...self.values()].reduce((sum, time) => sum + time, 0);
for (const [key, time] of [...self].sort((one, two) => two[1] - one[1]).slice(0, 40))
  console.log(`${((100 * time) / total).toFixed(1).padStart(5)} %  ${key}`);
