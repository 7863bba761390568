// Replays the first open groups of a recording of an application, and sums up the verdicts.
import { program } from '../apps/drive.mjs';
import { start } from './processes.mjs';

/** How many seconds the replays of one application may take. */
const budget = 240;
/** How many groups a developer reads. */
const read = 5;

/**
 * The cells of an application's line: its groups, the verdicts, the noise, the time, and the first groups. `secrets`
 * are what the steps type into password fields, by the names that the recording gives them.
 */
export async function replay(recording, most, log, secrets = {}) {
  const named = Object.entries(secrets).map(([name, value]) => [`INTERLOPER_SECRET_${name}`, value]);
  const env = { ...process.env, ...Object.fromEntries(named) };
  const args = ['check', recording, '--replay', `top=${most}`, '--replay-budget', String(budget), '--format', 'json'];
  const started = Date.now();
  const { output, ended } = start(program, [...args, '--fail-on', 'never'], { log, env });
  const status = await ended;
  if (status !== 0) throw new Error(`exit status ${status}: ${output.stderr.trim()}`);
  const took = (Date.now() - started) / 1000;
  const { summary, races, groups } = JSON.parse(output.stdout);
  const byId = new Map(races.map((race) => [race.id, race]));
  const isOpen = (race) => race.replay?.verdict === 'harmful' || (!race.covered && !race.hidden);
  const open = groups.filter((group) => group.races.some((id) => isOpen(byId.get(id))));
  const shown = open
    .slice(0, read)
    .map(({ replay }) => [replay?.verdict ?? '-', replay?.kind].filter(Boolean).join(' '));
  const verdicts = Object.entries(summary.replay ?? {}).map(([verdict, count]) => `${count} ${verdict}`);
  const masked = Math.max(0, ...races.map((race) => race.replay?.masked ?? 0));
  const evidence = races.filter(({ replay }) => replay).map(({ location, replay }) => ({ location, replay }));
  const cells = [open.length, verdicts.join(', ') || 'no open group', masked, `${took.toFixed(0)} s`, shown.join('; ')];
  return { cells, evidence };
}
