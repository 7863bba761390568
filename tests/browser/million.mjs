// Writes the long run of docs/benchmarks.md as text: node tests/browser/million.mjs [TIMERS] > million.trace. A page
// runs a chain of timers (900,000 unless said), each of which counts up and starts the next. Every ninth also starts a
// request; its response writes a location that a timer 4 to 8 places further writes too, so each response is one race
// in a group of its own.

const timers = Number(process.argv[2] ?? 900_000);
const lines = ['interloper-trace 1', 'model web', 'main attach timers', 'main begin start type=script name=app.js'];
lines.push('main enqueue t0 timers delay=1 src=app.js:3', 'main end start');

/** Passes the lines so far on, and waits until they are taken. */
function flush() {
  const text = `${lines.join('\n')}\n`;
  lines.length = 0;
  return new Promise((resolve) => process.stdout.write(text, resolve));
}

let milliseconds = 0;
/** The responses that are on their way: the timer after which each comes, and its number. */
const waiting = [];
for (let i = 0; i < timers; i++) {
  milliseconds += 1;
  lines.push(`main begin t${i} type=timer name=tick at=${milliseconds}000000`, 'main write counter.value src=app.js:7');
  if (i % 9 === 0) {
    const n = i / 9;
    lines.push(`main enqueue r${n} network src=app.js:9`);
    waiting.push({ after: i + 2 + (n % 3), n });
  }
  if (i % 9 === 8) {
    const n = (i - 8) / 9;
    lines.push(`main write cell${n}.value value=${i} src=app.js:${12 + (n % 40)}`);
  }
  if (i + 1 < timers) lines.push(`main enqueue t${i + 1} timers delay=1 src=app.js:5`);
  lines.push(`main end t${i}`);
  if (waiting[0]?.after === i) {
    const { n } = waiting.shift();
    lines.push(`main begin r${n} type=response name=/api/cell/${n} at=${milliseconds}000000`);
    lines.push(`main write cell${n}.value value=${n} src=app.js:${60 + (n % 40)}`, `main end r${n}`);
  }
  if (lines.length > 50_000) await flush();
}
await flush();
