/** Animation frames and idle callbacks. Callbacks of each kind run in the order of their requests. */
import { apply, lookup } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import { functionName } from 'interloper-js-recorder/realm';
import type { WindowRealm } from './window';

/** The queue of the animation frames of a realm. */
export const framesOf = (realm: WindowRealm): string => `r${realm.number}.frames`;

export function patchFrames(realm: WindowRealm): void {
  const { global, agent } = realm;
  const frames = framesOf(realm);
  const idle = `r${realm.number}.idle`;
  agent.line(`attach ${frames}`);
  agent.line(`attach ${idle}`);
  const patch = (name: string, type: string, post: (id: string, options: unknown) => void): void =>
    replace(
      global,
      name,
      (original) =>
        ({
          method(...args: any[]) {
            const callback = args[0];
            if (typeof callback !== 'function') return apply(original, this, args);
            const id = realm.id();
            args[0] = function (this: unknown, ...inner: unknown[]) {
              // The time of a frame is that of the page's clock.
              if (agent.holds && typeof inner[0] === 'number') inner[0] += agent.holds.skipped;
              return realm.run(id, type, functionName(callback), callback, this, inner);
            };
            const handle = apply(original, this, args);
            post(id, args[1]);
            return handle;
          },
        }).method,
    );
  patch('requestAnimationFrame', 'frame', (id) => realm.enqueue(id, frames, ' display'));
  patch('requestIdleCallback', 'idle', (id, options) => {
    // An idle callback with a timeout may overtake the others.
    const hurried = isObject(options) && lookup(options, 'timeout');
    if (hurried) realm.enqueue(id, 'hurried');
    else realm.enqueue(id, idle, ' idle');
  });
}
