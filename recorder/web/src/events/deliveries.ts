/**
 * Dispatches that a replay holds back: messages, the events of connections, and the callbacks of requests whose
 * answers must not wait. The whole dispatch is held, and later dispatches to the same target wait behind it.
 *
 * The listeners of a held dispatch are not called. When the dispatch is released, a copy of its event is
 * dispatched, which the browser does not mark as its own (`isTrusted`). The recorder takes it for the browser's.
 */
import { construct, List, newWeakMap } from 'interloper-js-recorder/natives';
import { inherits } from 'interloper-js-recorder/realm';
import type { Dispatches } from './dispatch';

/** The task of a dispatch: its event, if it was posted, and its name. */
interface Task {
  id: string;
  name: string;
}

/** A dispatch that waits. */
interface Waiting extends Task {
  event: any;
  type: string;
}

/** Makes copies of the events of an interface. */
interface Copier {
  prototype: object;
  copy: (event: any) => any;
}

/** The attributes that every event has. */
const COMMON = ['bubbles', 'cancelable', 'composed'];
/** The attributes of each interface of events that a copy needs. */
const COPIED: [string, string[]][] = [
  ['MessageEvent', ['data', 'origin', 'lastEventId', 'source', 'ports']],
  ['CloseEvent', ['code', 'reason', 'wasClean']],
  ['ProgressEvent', ['lengthComputable', 'loaded', 'total']],
  ['Event', []],
];

export class Deliveries {
  private readonly queues = newWeakMap<object, List<Waiting>>();
  private readonly dispatch: (target: any, event: any) => unknown;
  private readonly stop: (event: any) => void;
  private readonly copies = new List<Copier>();

  constructor(private readonly dispatches: Dispatches) {
    const { realm } = dispatches;
    const { global } = realm;
    this.dispatch = realm.method(global.EventTarget.prototype, 'dispatchEvent');
    this.stop = realm.method(global.Event.prototype, 'stopImmediatePropagation');
    // No method of arrays is called here: they are recorded already.
    for (const [name, keys] of COPIED) if (global[name]) this.copies.add(this.copier(global[name], keys));
  }

  /** A copier of the events that a constructor makes. */
  private copier(maker: any, keys: string[]): Copier {
    const { realm } = this.dispatches;
    const all = new List<{ key: string; get: (event: any) => unknown }>();
    for (const key of COMMON) all.add({ key, get: realm.getter(realm.global.Event.prototype, key) });
    for (const key of keys) all.add({ key, get: realm.getter(maker.prototype, key) });
    const copy = (event: any): any => {
      const init: any = {};
      for (let at = 0; at < all.length; at++) init[all.at(at).key] = all.at(at).get(event);
      return construct(maker, [this.dispatches.type(event), init]);
    };
    return { prototype: maker.prototype, copy };
  }

  /**
   * Watches the dispatches to a target, before any listener of the program. `task` returns the task of a dispatch that
   * is about to begin.
   */
  watch(target: any, types: string[], task: (event: any) => Task): void {
    const { realm } = this.dispatches;
    const { holds } = realm.agent;
    if (!holds || holds.isEmpty) return;
    const heard = (event: any): void => {
      if (!this.dispatches.isNative(event) || this.dispatches.isAdopted(event)) return;
      if (this.waits(target, task(event), event, true)) this.stop(event);
    };
    for (let at = 0; at < types.length; at++) realm.listen(target, types[at]!, heard, true);
  }

  /** Dispatches an event of the recorder's own to a target, unless it is held. */
  post(target: any, task: Task, event: any): void {
    this.dispatches.adopt(event);
    if (!this.waits(target, task, event, false)) this.dispatch(target, event);
  }

  /** Whether a dispatch is held, or waits behind one. */
  private waits(target: any, task: Task, event: any, copies: boolean): boolean {
    const { holds } = this.dispatches.realm.agent;
    const { id, name } = task;
    const type = this.dispatches.type(event);
    let queue = this.queues.get(target);
    if (!queue && !holds?.holds(id, () => this.release(target), type, name)) return false;
    if (!queue) this.queues.set(target, (queue = new List()));
    queue.add({ id, name, type, event: copies ? this.copy(event) : event });
    return true;
  }

  private copy(event: any): any {
    const { copies } = this;
    for (let at = 0; at < copies.length; at++)
      if (inherits(event, copies.at(at).prototype)) {
        const copy = copies.at(at).copy(event);
        this.dispatches.adopt(copy);
        return copy;
      }
    return event;
  }

  /** Dispatches the first event that waits for a target, and then the others, each in a task of its own. */
  private release(target: any): void {
    const queue = this.queues.get(target)!;
    const first = queue.at(0);
    for (let at = 1; at < queue.length; at++) queue.put(at - 1, queue.at(at));
    queue.length--;
    if (queue.length === 0) this.queues.delete(target);
    this.dispatch(target, first.event);
    if (queue.length > 0) this.next(target, queue);
  }

  private next(target: any, queue: List<Waiting>): void {
    const holds = this.dispatches.realm.agent.holds!;
    const { id, type, name } = queue.at(0);
    if (!holds.holds(id, () => this.release(target), type, name)) holds.soon(() => this.release(target));
  }
}
