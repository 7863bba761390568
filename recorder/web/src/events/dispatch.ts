/**
 * Dispatches of events to listeners. A dispatch belongs to a task. Each listener's call is an event of
 * its own, which follows the earlier calls of the same dispatch. A dispatch reads the handler lists on
 * its path. Adding a handler is ordered before the calls of that handler only.
 */
import { apply, bareArray, List, lookup, newMap, newWeakMap, newWeakSet } from 'interloper-js-recorder/natives';
import type { Method } from 'interloper-js-recorder/builtins';
import { cut, isObject } from 'interloper-js-recorder/names';
import { functionName, inherits } from 'interloper-js-recorder/realm';
import type { WindowRealm } from './window';
import type { Elements } from './elements';

/** Finds the task of a dispatch: begins and ends its event, and returns whether it did. */
export type Source = (event: any, target: any, type: string) => boolean;

export class Dispatches {
  readonly type: (event: any) => string;
  readonly target: (event: any) => any;
  readonly trusted: (event: any) => boolean;
  private readonly path: (event: any) => any[];
  private readonly bubbles: (event: any) => boolean;
  private readonly events: object;
  private readonly known = newWeakMap<object, string>();
  /** The names of the handlers in each list. */
  private readonly handlers = newMap<string, string[]>();
  private readonly sources = new List<Source>();

  constructor(
    readonly realm: WindowRealm,
    readonly elements: Elements,
  ) {
    const { prototype } = realm.global.Event;
    this.type = realm.getter(prototype, 'type');
    this.target = realm.getter(prototype, 'target');
    this.path = realm.method(prototype, 'composedPath');
    this.bubbles = realm.getter(prototype, 'bubbles');
    this.events = prototype;
    // The platform defines `isTrusted` on each event, as an unforgeable property, not on the prototype.
    this.trusted = (event) => event.isTrusted === true || this.adopted.has(event);
  }

  private readonly adopted = newWeakSet<object>();

  /** Takes an event that the recorder made for one of the browser's. */
  adopt(event: object): void {
    this.adopted.add(event);
  }

  /** Whether the recorder made an event. */
  isAdopted(event: object): boolean {
    return this.adopted.has(event);
  }

  source(source: Source): void {
    this.sources.add(source);
  }

  /** Whether the browser dispatches the event now, outside of any recorded event. */
  isNative(event: unknown): boolean {
    return this.realm.agent.event === '' && this.trusted(event);
  }

  /** The task of a dispatch, if it has begun. */
  task(event: object): string | undefined {
    return this.known.get(event);
  }

  /** Begins the task of a dispatch, reads the handler lists on its path, and leaves it open. */
  begin(event: object, id: string, kind: string, name: string): void {
    this.known.set(event, id);
    this.realm.agent.begin(id, kind, name);
    this.read(event);
  }

  read(event: object): void {
    const type = this.type(event);
    const path = this.path(event);
    for (let at = 0; at < path.length; at++) {
      const list = this.elements.handlers(path[at]!, type);
      this.realm.record('handler', list, false, this.list(list), -1);
    }
  }

  /**
   * Reads the lists of handlers that an event of a script's own type finds, which the script dispatches to a target.
   * The platform has a property such as `onclick` for its own types.
   */
  announce(target: object, event: object): void {
    const { elements, realm } = this;
    const isPart = elements.isNode(target);
    if (!inherits(event, this.events) || (!isPart && target !== realm.global)) return;
    const type = this.type(event);
    if (lookup(target, `on${type}`)) return;
    const above = (node: object): object | null =>
      node === realm.global ? null : (elements.parent(node) ?? (node === elements.document ? realm.global : null));
    for (let at: object | null = target; at; at = this.bubbles(event) ? above(at) : null) {
      const list = elements.handlers(at, type);
      realm.record('handler', list, false, this.list(list));
    }
  }

  /** Records that a handler was added to a list and another removed. Either name may be empty. */
  listed(target: object, type: string, added: string, removed: string, site?: number): void {
    const list = this.elements.handlers(target, type);
    const before = this.handlers.get(list);
    const names = bareArray<string>();
    let gone = removed === '';
    for (let at = 0; before && at < before.length; at++)
      if (!gone && before[at] === removed) gone = true;
      else names[names.length] = before[at]!;
    if (added !== '') names[names.length] = added;
    this.handlers.set(list, names);
    if (!this.realm.isYoung(target)) this.realm.record('handler', list, true, this.list(list), site);
  }

  /** The names in a handler list. */
  private list(list: string): string {
    const names = this.handlers.get(list);
    let text = '';
    for (let at = 0; names && at < names.length; at++) text += (at ? ',' : '') + names[at];
    return text === '' ? 'none' : cut(text);
  }

  /** Calls a listener, in an event of its own unless an event is running. */
  call(callback: string, listener: Method, self: unknown, args: any[], name: string): unknown {
    const { agent } = this.realm;
    if (agent.event !== '') return apply(listener, self, args);
    const event = args[0];
    if (!agent.isAlive && !(isObject(event) && this.known.has(event))) this.find(event);
    agent.begin(this.realm.id(), 'listener', name);
    agent.line(`invoke ${callback}`);
    try {
      return apply(listener, self, args);
    } finally {
      agent.end();
    }
  }

  /** Asks the sources for the task of a dispatch whose task is not known. */
  find(event: any): void {
    // `onerror` of a window takes a message instead of an event.
    if (!isObject(event)) {
      this.realm.agent.begin(this.realm.id(), 'error', 'error');
      return this.realm.agent.end();
    }
    const target = this.target(event);
    const type = this.type(event);
    for (let at = 0; at < this.sources.length; at++) if (this.sources.at(at)(event, target, type)) return;
    const name = `${this.elements.target(target)} ${type}`;
    this.realm.agent.diagnostic('unknown-source', name);
    this.begin(event, this.realm.id(), 'unknown', name);
    this.realm.agent.end();
  }

  /** The readable name of a listener. */
  nameOf(listener: unknown, type: string): string {
    const name = functionName(listener);
    return name === 'anonymous' ? `on ${type}` : name;
  }
}
