/** How browsers change the delays of timers (HTML standard, timer initialization steps). */
import type { Delays } from 'interloper-js-recorder/timers';

/** The nesting level from which browsers raise delays below four milliseconds. */
const CLAMPED = 5;

export const delays: Delays = {
  wait: (delay) => (delay > 0 && delay < 2147483648 ? delay - (delay % 1) : 0),
  raises: (depth, milliseconds) => depth > CLAMPED && milliseconds < 4,
};
