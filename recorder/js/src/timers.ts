/**
 * Timers: `setTimeout`, `setInterval` and what clears them.
 *
 * A timer's message is posted with its delay to a queue of its global, which keeps the order of
 * equal or growing delays. Timers whose delays the platform raises have a queue of their own. The
 * ticks of an interval follow each other. A timer is a location: clearing writes it, firing reads it.
 */
import { apply, newMap } from './natives';
import { replace, type Method } from './builtins';
import { numbered } from './names';
import type { Expected } from './holds';
import { functionName, type Realm } from './realm';

/** How a platform changes the delays of timers. */
export interface Delays {
  /** The delay in milliseconds that the platform uses for a number. */
  wait(delay: number): number;
  /** Whether the platform raises the delay of a timer that was set so many timers deep, from 1. */
  raises(depth: number, milliseconds: number): boolean;
}

/** The longest delay of a timer that counts as pending, and how deep timers may be nested: endless chains poll. */
const SOON = 3000;
const SHALLOW = 5;

interface Timer {
  name: string;
  /** The event of the next firing. */
  next: string;
  /** The last tick of an interval. */
  last: string;
  /** Whether the timer counts as pending. */
  counts: boolean;
  /** Whether the program has cleared it. */
  isCleared: boolean;
  /** What a replay waits for. */
  expected: Expected | undefined;
}

export function patchTimers(realm: Realm, { wait, raises }: Delays): void {
  const { global, agent } = realm;
  const queue = `r${realm.number}.timers`;
  const clamped = `r${realm.number}.timers(clamped)`;
  const timers = newMap<unknown, Timer>();
  let level = 0;
  agent.line(`attach ${queue}`);
  agent.line(`attach ${clamped}`);

  const done = (timer: Timer): void => {
    if (timer.counts) agent.pending--;
    timer.counts = false;
    if (timer.expected) timer.expected.isOver = true;
  };

  const fire = (timer: Timer, callback: Method, inner: number, repeats: boolean): Method =>
    function fired(this: unknown, ...args: unknown[]): unknown {
      done(timer);
      if (agent.event !== '') return apply(callback, this, args);
      const id = timer.next;
      if (agent.holds?.holds(id, () => timer.isCleared || apply(fired, this, args))) return;
      agent.begin(id, 'timer', functionName(callback));
      realm.record('timer', timer.name, false, 'set', -1);
      if (repeats) {
        realm.arc(timer.last, id, 'interval');
        timer.last = id;
        timer.next = realm.id();
      }
      level = inner;
      try {
        return apply(callback, this, args);
      } finally {
        level = 0;
        agent.end();
      }
    };

  /** Sets a timer whose code is text. The code begins its event itself. */
  const text = (original: Method, self: unknown, args: unknown[], source: string): unknown => {
    const id = realm.id();
    const code = realm.code.compile('script', source);
    args[0] = code[0] === '"' || code[0] === "'" ? code : `${realm.code.hooks}.tb("${id}");${code}`;
    realm.enqueue(id, queue, ` delay=${args.length > 1 ? wait((args[1] = +(args[1] as number))) : 0}`);
    return apply(original, self, args);
  };
  realm.hooks.tb = (id: string) => {
    if (agent.event !== '') return;
    agent.begin(id, 'timer', 'text');
    agent.endLater();
  };

  const { clearTimeout } = global;
  /** Returns a function that lets a timer fire now. */
  const early = (handle: unknown, args: unknown[]) => (): void => {
    apply(clearTimeout, global, [handle]);
    const rest: unknown[] = [];
    for (let at = 2; at < args.length; at++) rest[rest.length] = args[at];
    agent.holds!.soon(() => apply(args[0] as Method, global, rest));
  };

  const set =
    (repeats: boolean) =>
    (original: Method): Method =>
      ({
        method(...args: unknown[]) {
          const callback = args[0];
          if (typeof callback === 'string') return text(original, this, args, callback);
          if (typeof callback !== 'function') return apply(original, this, args);
          // The delay is converted here and only once, because the conversion may run code of the program.
          const delay = args.length > 1 ? (args[1] = +(args[1] as number)) : 0;
          const next = realm.id();
          const name = numbered(`Timer(created at ${realm.place() ?? functionName(callback)})`);
          const inner = level + 1;
          const counts = !repeats && inner <= SHALLOW && wait(delay) <= SOON;
          const timer: Timer = { name, next, last: '', counts, isCleared: false, expected: undefined };
          if (counts) agent.pending++;
          args[0] = fire(timer, callback as Method, inner, repeats);
          const handle = apply(original, this, args);
          timers.set(handle, timer);
          const milliseconds = wait(delay);
          if (!repeats && inner <= SHALLOW) timer.expected = agent.holds?.expect(milliseconds, early(handle, args));
          realm.enqueue(next, raises(inner, milliseconds) ? clamped : queue, ` delay=${milliseconds}`);
          return handle;
        },
      }).method;

  const clear = (original: Method): Method =>
    ({
      method(...args: unknown[]) {
        const handle = args[0];
        const timer = timers.get(typeof handle === 'string' ? +handle : handle);
        if (timer) {
          done(timer);
          timer.isCleared = true;
        }
        if (timer && agent.event !== '') realm.record('timer', timer.name, true, 'cleared');
        return apply(original, this, args);
      },
    }).method;

  replace(global, 'setTimeout', set(false));
  replace(global, 'setInterval', set(true));
  replace(global, 'clearTimeout', clear);
  replace(global, 'clearInterval', clear);
}
