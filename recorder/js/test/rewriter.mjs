// The rewriter's example program, as a process that answers requests.
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const root = new URL('../../../', import.meta.url).pathname;
const binary = process.env.INTERLOPER_REWRITE ?? `${root}target/debug/examples/rewrite`;

/** The rewriter, as a process that answers in order. */
export class Rewriter {
  #waiting = [];

  constructor(...args) {
    // starts: own
    this.process = spawn(binary, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.process.stdout }).on('line', (line) => this.#waiting.shift()(JSON.parse(line)));
  }

  rewrite(request) {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.process.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  close() {
    this.process.stdin.end();
  }
}

/** Rewrites code synchronously, for `eval`. */
export function rewriteNow(request) {
  // starts: own
  const { stdout } = spawnSync(binary, {
    input: `${JSON.stringify(request)}\n`,
    maxBuffer: 1 << 30,
  });
  return JSON.parse(stdout.toString());
}
