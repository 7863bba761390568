/**
 * The part of the recorder that only replays use: tasks are held back, random numbers and the clock are repeatable,
 * and connections are played back (docs/replay.md).
 */
import { due, release, worker as tellName } from 'interloper-js-recorder/contract.json';
import type { Agent, Platform } from 'interloper-js-recorder/agent';
import { Holds, type Replay } from 'interloper-js-recorder/holds';
import { apply, define } from 'interloper-js-recorder/natives';
import { patchClock, patchRandom } from 'interloper-js-recorder/repeatable';
import { type Connection, Connections } from './events/connections';
import { Deliveries } from './events/deliveries';
import type { Dispatches } from './events/dispatch';
import type { Objects } from './events/objects';

/** What a replay tells the runtime in a page. */
export interface PageReplay extends Replay {
  /** The connections that are played back, if the replay has no network. */
  readonly connections?: readonly Connection[];
}

/** Lets connections dispatch their events. */
export type Play = (objects: Objects) => void;

/** Makes the deliveries of a realm, and in a replay without a network the connections, whose events they dispatch. */
export function deliver(dispatches: Dispatches, platform: Platform, replay?: PageReplay): [Deliveries, Play] {
  const deliveries = new Deliveries(dispatches);
  if (!replay?.connections) return [deliveries, () => {}];
  const connections = new Connections(
    dispatches,
    replay.connections,
    () => platform.now(),
    (act, delay) => platform.later(act, delay),
  );
  return [
    deliveries,
    (objects) => {
      connections.deliver = (target, event) => objects.post(deliveries, target, event);
    },
  ];
}

/** Prepares a replay: tasks of the agent are held back, and its program is repeatable. Realms of one agent share both. */
export function replays(global: any, agent: Agent, platform: Platform, replay: Replay): void {
  const tell = global[tellName];
  agent.holds ??= new Holds(
    replay,
    (run) => platform.later(run, 0),
    () => platform.now(),
    (path) => tell && apply(tell, global, [`h${path}`]),
  );
  if (replay.isLive) return;
  patchRandom(global, agent.holds);
  patchClock(global, agent.holds);
}

/** Adds the functions that a replay calls. */
export function answerReplay(global: any, agent: Agent): void {
  define(global, release, { value: (path: string) => agent.holds?.release(path) });
  define(global, due, { value: (now: boolean) => agent.holds?.due(now) });
}
