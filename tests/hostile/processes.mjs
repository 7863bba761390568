import { readdirSync, readFileSync } from 'node:fs';

/** The processes whose command or environment mentions a text: their names, and their memory in MB, by number. */
export function processes(text) {
  const found = new Map();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      const said = readFileSync(`/proc/${entry}/cmdline`, 'latin1') + readFileSync(`/proc/${entry}/environ`, 'latin1');
      if (!said.includes(text)) continue;
      const status = readFileSync(`/proc/${entry}/status`, 'utf8');
      if (/State:\s+Z/.test(status)) continue;
      const name = /Name:\s+(\S+)/.exec(status)?.[1] ?? '';
      found.set(entry, { name, memory: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024 });
    } catch {
      // The process is gone.
    }
  }
  return found;
}
