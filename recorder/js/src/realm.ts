/**
 * A realm: one global object with its scripts, its number, its hooks, and the functions that all sources
 * of events share. A platform adds the functions that its own sources share.
 *
 * Native functions are read when the realm starts, before any code of the program has run.
 */
import { apply, define, describe, getPrototypeOf, proxies } from './natives';
import type { Hooks } from './hooks';
import type { AccessRecorder } from './recorder';
import { disguise, type Method } from './builtins';
import { isObject } from './names';
import type { Agent } from './agent';
import type { Code } from './code';
import { word } from './text';

export type Getter = (object: any) => any;

export class Realm {
  constructor(
    readonly global: any,
    readonly number: number,
    readonly agent: Agent,
    readonly recorder: AccessRecorder,
    readonly hooks: Hooks,
    readonly code: Code,
  ) {}

  id(): string {
    return this.agent.id(this.number);
  }

  /** The key `site=` of the last recorded site, which the recorder resolves to a source position. */
  site(): string {
    return ` site=${this.recorder.lastSite}`;
  }

  /** The position of the last recorded site as `file:line`, if it makes objects. */
  place(): string | undefined {
    return this.recorder.place(this.recorder.lastSite);
  }

  /** Calls back into the program, in an event of its own unless one is running. */
  run(id: string, type: string, name: string, callback: Method, self: unknown, args: unknown[]): unknown {
    const { agent } = this;
    if (agent.event !== '') return apply(callback, self, args);
    if (agent.holds?.holds(id, () => this.run(id, type, name, callback, self, args))) return;
    agent.begin(id, type, name);
    try {
      return apply(callback, self, args);
    } finally {
      agent.end();
    }
  }

  /** Records that the running event posts another event. */
  enqueue(id: string, queue: string, how = '', site = this.site()): void {
    if (this.agent.event === '') return;
    this.agent.holds?.post(id, queue);
    this.agent.line(`enqueue ${id} ${word(queue)}${how}${this.agent.stamp()}${site}`);
  }

  arc(from: string, to: string, by = ''): void {
    if (from !== '' && from !== to) this.agent.line(`arc ${from} ${to}${by && ` by=${by}`}`);
  }

  /** Records an access of a location that is no property. */
  record(kind: string, name: string, write: boolean, value: string, site?: number): void {
    if (write) this.agent.isTouched = true;
    this.agent.kind(name, kind);
    this.recorder.logical(name, write, value, site);
  }

  /** Whether the running event made the object. */
  isYoung(object: object): boolean {
    return this.agent.event !== '' && this.recorder.stamps.isYoung(object);
  }

  /** The getter of an attribute of the platform, as a function of its object. */
  getter(holder: any, key: string): Getter {
    const get = holder && describe(holder, key)?.get;
    return get ? (object) => apply(get, object, []) : () => undefined;
  }

  /** A method of the platform, as a function of its object. */
  method(holder: any, key: string): (object: any, ...args: any[]) => any {
    const value = holder && describe(holder, key)?.value;
    return typeof value === 'function' ? (object, ...args) => apply(value, object, args) : () => undefined;
  }

  /** Replaces the getter or setter of an accessor. `make` takes the original one. */
  accessor(
    holder: any,
    key: string,
    make: { get?: (original: Method) => Method; set?: (original: Method) => Method },
  ): void {
    const property = holder && describe(holder, key);
    if (!property?.configurable) return;
    const changed: PropertyDescriptor = { ...property };
    if (make.get && property.get)
      changed.get = disguise(make.get(property.get as Method), property.get) as () => unknown;
    if (make.set && property.set) changed.set = disguise(make.set(property.set as Method), property.set) as () => void;
    define(holder, key, changed);
  }
}

/** The readable name of a function. */
export function functionName(callback: unknown): string {
  if (typeof callback !== 'function' || proxies.has(callback)) return 'anonymous';
  const name = describe(callback, 'name')?.value;
  return typeof name === 'string' && name !== '' ? name : 'anonymous';
}

/** Whether a prototype is in an object's prototype chain. No code of the program runs. */
export function inherits(object: unknown, prototype: object): object is object {
  if (!isObject(object)) return false;
  try {
    for (let at: object | null = object; at && !proxies.has(at); at = getPrototypeOf(at))
      if (at === prototype) return true;
  } catch {
    // An object of another origin.
  }
  return false;
}
