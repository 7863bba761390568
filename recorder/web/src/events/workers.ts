/**
 * Workers, as their page sees them. Making a worker comes before its first task. Messages between a
 * worker and its page are delivered in the order in which they were sent.
 *
 * The two sides share no objects. They share a name, from which both make the names of the worker's
 * events (`NAME.start`) and queues (`NAME.in`, `NAME.out`). The name is passed as part of the name that
 * the page gives the worker, and the worker's runtime removes it from there (`nameOfWorker`).
 */
import { worker as announceName } from 'interloper-js-recorder/contract.json';
import { apply, construct, describe, getPrototypeOf, peek, RealProxy } from 'interloper-js-recorder/natives';
import { disguise, replace, type Method } from 'interloper-js-recorder/builtins';
import { fileOf } from 'interloper-js-recorder/modules';
import { isObject } from 'interloper-js-recorder/names';
import { inherits } from 'interloper-js-recorder/realm';
import { type Mail, Mailbox, standFor } from './messages';
import type { WindowRealm } from './window';

const { indexOf, slice } = String.prototype;
const { random } = Math;
/** Separates the name that the page gave a worker from the recorder's. */
const MARK = '\u0000interloper:';

/** The stand-in for the options of a worker: the platform reads each once. */
function named(options: any, name: string): object {
  return new RealProxy(
    {},
    {
      get: (_target, key) => {
        const found = isObject(options) ? (options as any)[key] : undefined;
        return key === 'name' ? `${found === undefined ? '' : found}${MARK}${name}` : found;
      },
    },
  );
}

/** Finds the addresses of scripts that workers are made of. */
class Addresses {
  private readonly href: (url: any) => string;
  private readonly base: (document: any) => string;
  private readonly urls: any;

  constructor(private readonly realm: WindowRealm) {
    const { global } = realm;
    this.urls = global.URL;
    this.href = realm.getter(global.URL.prototype, 'href');
    this.base = realm.getter(global.Node?.prototype, 'baseURI');
  }

  /** The address, if it is a string or a `URL`. Only the platform may convert other objects, and only once. */
  find(value: unknown): string {
    if (typeof value !== 'string' && !inherits(value, this.urls.prototype)) return '';
    const { document, location } = this.realm.global;
    try {
      const base = document ? this.base(document) : this.href(construct(this.urls, [location.href]));
      const whole = this.href(construct(this.urls, [typeof value === 'string' ? value : this.href(value), base]));
      const end = apply(indexOf, whole, ['#']) as number;
      return end < 0 ? whole : (apply(slice, whole, [0, end]) as string);
    } catch {
      return '';
    }
  }
}

/** Returns a function that announces a module to the recorder, before the module is requested. */
export function announcer(global: any): (address: string) => void {
  const announce = global[announceName];
  return (address) => announce && apply(announce, global, [`i${address}`]);
}

/** Prepares the scripts of workers, and names the workers. */
export class Workshop {
  private readonly addresses: Addresses;
  // Random, because the runtimes of two documents cannot agree on numbers.
  private readonly prefix = `w${(random() * 0xffffffff) >>> 0}`;
  private count = 0;

  private constructor(
    private readonly realm: WindowRealm,
    private readonly announce: Method,
  ) {
    this.addresses = new Addresses(realm);
  }

  /** Without the function that announces, no recorder is there that could start the runtime in a worker. */
  static of(realm: WindowRealm): Workshop | undefined {
    const announce = realm.global[announceName];
    return announce && new Workshop(realm, announce);
  }

  /**
   * Announces the script of a worker to the recorder, before it is requested. Returns the address to load
   * it from and a name for the worker, unless the worker cannot be recorded.
   */
  prepare(script: unknown, options: unknown): { url: string; name: string } | undefined {
    const module = isObject(options) && peek(options, 'type') === 'module';
    const url = this.realm.code.worker(this.addresses.find(script), module);
    if (url === '') return undefined;
    apply(this.announce, this.realm.global, [(module ? 'm' : 's') + url]);
    return { url, name: `${this.prefix}.${++this.count}` };
  }
}

export function patchWorkers(mail: Mail, workshop: Workshop): void {
  const { realm, elements } = mail.dispatches;
  const { global, agent } = realm;
  const native = global.Worker;
  if (!native) return;
  standFor(global, 'Worker', (target, args, newTarget) => {
    const options = args[1];
    const prepared = workshop.prepare(args[0], options);
    if (!prepared) return construct(target, args, newTarget) as object;
    const { url, name } = prepared;
    realm.enqueue(`${name}.start`, `${name}.scripts`);
    agent.send();
    const worker = construct(target, [url, named(options, name)], newTarget) as object;
    mail.outgoing.set(worker, new Mailbox(`${name}.in`, true, realm.agent.event));
    mail.receive(worker, `${name}.out`, elements.target(worker)).opened = agent.event;
    return worker;
  });
  patchSends(realm, mail, native.prototype, (worker) => worker);
}

/** Records what is sent through `postMessage` of a worker, or of the worker's own global. */
function patchSends(realm: WindowRealm, mail: Mail, holder: object, port: (self: any) => object): void {
  replace(
    holder,
    'postMessage',
    (original) =>
      ({
        method(...args: unknown[]) {
          const self = port(this);
          const to = isObject(self) ? mail.outgoing.get(self) : undefined;
          if (!to) return apply(original, this, args);
          mail.transfer(args, to.next);
          return to.send(realm, () => apply(original, this, args));
        },
      }).method,
  );
}

/** Takes the recorder's name out of the name of a worker. Without one, the page was not recorded. */
export function nameOfWorker(global: any): string {
  let holder = global;
  while (holder && !describe(holder, 'name')) holder = getPrototypeOf(holder);
  const property = holder && describe(holder, 'name');
  const get = property?.get as Method | undefined;
  const full = get ? (apply(get, global, []) as string) : '';
  const at = apply(indexOf, full, [MARK]) as number;
  if (!get || at < 0) return '';
  const own = apply(slice, full, [0, at]) as string;
  const { method } = {
    method(this: unknown) {
      const found = apply(get, this ?? global, []);
      return found === full ? own : found;
    },
  };
  Object.defineProperty(holder, 'name', { ...property, get: disguise(method, get) as () => unknown });
  return apply(slice, full, [at + MARK.length]) as string;
}

/** What a worker is called in its own events: its script, unless that has no name. */
function titleOf({ protocol, pathname }: { protocol: string; pathname: string }): string {
  return protocol === 'blob:' || protocol === 'data:' ? 'worker' : `worker(${fileOf(pathname)})`;
}

/** Records the messages of a worker's own global. Returns the mailbox of those that it receives. */
export function patchWorkerMessages(mail: Mail, name: string): Mailbox | undefined {
  const { realm } = mail.dispatches;
  const { global } = realm;
  if (name === '') return undefined;
  mail.outgoing.set(global, new Mailbox(`${name}.out`, true));
  patchSends(realm, mail, global, (self) => self ?? global);
  return mail.receive(global, `${name}.in`, titleOf(global.location));
}
