/**
 * The part of the recorder that runs in a worker. It has the sources of events that a worker shares
 * with a page, and the messages between the two.
 */
import { flush } from 'interloper-js-recorder/contract.json';
import type { Imports, ScriptKind } from 'interloper-js-recorder/hooks';
import { replace } from 'interloper-js-recorder/builtins';
import { learnPlatform } from 'interloper-js-recorder/names';
import { apply, define, describe, getPrototypeOf, ownKeys } from 'interloper-js-recorder/natives';
import { patchIteration } from 'interloper-js-recorder/iteration';
import { Modules } from 'interloper-js-recorder/modules';
import { Promises } from 'interloper-js-recorder/promises';
import { patchTimers } from 'interloper-js-recorder/timers';
import { patchDatabases } from './events/databases';
import { delays } from './events/delays';
import type { Deliveries } from './events/deliveries';
import { Dispatches } from './events/dispatch';
import { Elements } from './events/elements';
import { patchFrames } from './events/frames';
import { patchListeners } from './events/listeners';
import { patchMessages } from './events/messages';
import { watchNavigation } from './events/navigation';
import { patchFetch, patchRequests } from './events/network';
import { Objects } from './events/objects';
import { patchObservers } from './events/observers';
import { patchConnections, patchSharedWorkers } from './events/shared';
import { patchStreams } from './events/streams';
import type { WindowRealm } from './events/window';
import { nameOfWorker, patchWorkerMessages, patchWorkers, Workshop } from './events/workers';
import { answerReplay, type Play } from './replay';

/**
 * Gives a worker's global its inherited members as its own, as a window has them: the sources replace
 * own properties, and a global that is not its own counts as the program's.
 */
export function ownMembers(global: any): void {
  const { prototype: last } = global.EventTarget;
  for (let holder = getPrototypeOf(global); holder && holder !== last; holder = getPrototypeOf(holder))
    for (const key of ownKeys(holder)) {
      const property = describe(holder, key)!;
      if (key !== 'constructor' && !describe(global, key)) define(global, key, property);
    }
}

/** Adds the sources of events of a worker. */
export function startWorker(realm: WindowRealm, deliver: (dispatches: Dispatches) => [Deliveries, Play]): void {
  const { global, agent } = realm;
  const name = nameOfWorker(global);
  const dispatches = new Dispatches(realm, new Elements(realm));
  patchTimers(realm, delays);
  const [deliveries, play] = deliver(dispatches);
  const modules = new Modules(realm, () => {});
  const promises = new Promises(realm, modules);
  patchIteration(realm);
  const scripts = new Scripts(realm, modules, name);
  patchFetch(realm, promises);
  patchRequests(dispatches, deliveries);
  patchFrames(realm);
  patchListeners(dispatches);
  const mail = patchMessages(dispatches, deliveries);
  const inbox = patchWorkerMessages(mail, name);
  scripts.started = (id) => {
    if (inbox) inbox.opened = id;
  };
  const workshop = Workshop.of(realm);
  if (workshop) {
    patchWorkers(mail, workshop);
    patchSharedWorkers(mail, workshop);
  }
  patchConnections(mail, scripts);
  patchObservers(dispatches);
  patchStreams(realm, promises);
  patchDatabases(dispatches);
  realm.code.patchFunction();
  watchNavigation(dispatches);
  const objects = new Objects(dispatches, { creator: () => '', last: '' });
  play(objects);
  objects.last();
  replace(
    global,
    'close',
    (original) =>
      ({
        method(...args: unknown[]) {
          agent.leave();
          return apply(original, this, args);
        },
      }).method,
  );
  replace(
    global,
    'importScripts',
    (original) =>
      ({
        method(...args: unknown[]) {
          for (let at = 0; at < args.length; at++)
            if (typeof args[at] === 'string') args[at] = realm.code.address(args[at] as string, false);
          return apply(original, this, args);
        },
      }).method,
  );
  answerReplay(global, agent);
  define(global, flush, { value: () => (agent.strays(), agent.send()) });
  learnPlatform(global);
}

/** The scripts of a worker: the first begins after the worker was made, and modules follow what they import. */
class Scripts {
  private next: string;
  /** The event of the first script. The worker receives nothing before it. */
  first = '';
  /** Called when the first script has begun. */
  started: (id: string) => void = () => {};

  constructor(
    private readonly realm: WindowRealm,
    private readonly modules: Modules,
    name: string,
  ) {
    this.next = name === '' ? '' : `${name}.start`;
    realm.hooks.began = (file, kind, address, imports) => this.began(file, kind, address, imports);
  }

  private began(file: string, kind: ScriptKind, address: string | undefined, imports: Imports | undefined): void {
    const { agent } = this.realm;
    if (kind !== 's' && kind !== 'm') return;
    const inModule = kind === 'm' && this.modules.goesOn;
    // A script that `importScripts` loads is part of the event that loads it.
    if (agent.event !== '' && !inModule) return;
    if (agent.event !== '') agent.end();
    else agent.strays();
    const id = this.next || this.realm.id();
    agent.begin(id, inModule ? 'module' : 'script', file);
    if (kind === 'm') {
      this.modules.began(address, id, !inModule, false);
      if (imports) this.modules.imported(imports, id);
    }
    this.next = '';
    if (this.first === '') this.started((this.first = id));
    agent.endLater();
  }
}
