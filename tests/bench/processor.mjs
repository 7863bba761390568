// The processor time of pages' main threads, from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** The fields of a process after its name, or none if it is gone. */
function fields(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

const isRenderer = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer');
  } catch {
    return false;
  }
};

/** Seconds that the main threads of the pages of the browsers below a process have used. */
export function pageSeconds(root) {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(processes.map((pid) => [Number(pid), Number(fields(pid)[1])]));
  const isBelow = (pid) => pid === root || (parents.has(pid) && isBelow(parents.get(pid)));
  const renderers = [...parents.keys()].filter((pid) => isBelow(pid) && isRenderer(pid));
  const ticks = renderers.map((pid) => Number(fields(pid)[11] ?? 0) + Number(fields(pid)[12] ?? 0));
  return Math.max(0, ...ticks) / 100;
}
