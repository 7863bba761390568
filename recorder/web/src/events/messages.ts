/**
 * Messages: `postMessage` of windows, ports and broadcast channels. Messages between one sender and one
 * receiver arrive in the order in which they were sent. So each receiver has a queue of its own, and
 * the n-th delivery is the n-th message of that queue.
 */
import {
  apply,
  construct,
  define,
  describe,
  List,
  newMap,
  newWeakMap,
  RealProxy,
} from 'interloper-js-recorder/natives';
import { disguise, replace } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';
import { inherits } from 'interloper-js-recorder/realm';
import type { WindowRealm } from './window';

/** Messages on their way to a receiver. */
class Mailbox {
  private readonly sent = new List<string>();
  private next = 0;
  /** The event that opened the receiver. */
  opened = '';
  last = '';

  constructor(readonly queue: string) {}

  send(realm: WindowRealm): void {
    const id = realm.id();
    this.sent.add(id);
    realm.enqueue(id, this.queue);
  }

  take(): string | undefined {
    return this.next < this.sent.length ? this.sent.at(this.next++) : undefined;
  }
}

export function patchMessages(dispatches: Dispatches): void {
  const { realm } = dispatches;
  const { agent } = realm;
  const boxes = newWeakMap<object, Mailbox>();
  const box = (receiver: object): Mailbox => {
    let found = boxes.get(receiver);
    if (!found) {
      found = new Mailbox(`${realm.id()}.messages`);
      agent.line(`attach ${found.queue}`);
      boxes.set(receiver, found);
    }
    return found;
  };

  dispatches.source((event, target, type) => {
    const found = type === 'message' || type === 'messageerror' ? boxes.get(target) : undefined;
    if (!found) return false;
    const id = found.take() ?? realm.id();
    dispatches.begin(event, id, 'message', dispatches.elements.target(target));
    realm.arc(found.opened, id, 'message');
    agent.end();
    return true;
  });

  patchPorts(dispatches, box);
  patchChannels(realm, box);
  patchWindows(dispatches, box);
}

type Box = (receiver: object) => Mailbox;

/** Pairs the two ports of a channel when the program first reads one of them. */
function patchPorts({ realm }: Dispatches, box: Box): void {
  const { global, agent } = realm;
  const peers = newWeakMap<object, object>();
  const { prototype } = global.MessageChannel;
  const ports = [realm.getter(prototype, 'port1'), realm.getter(prototype, 'port2')];
  for (const key of ['port1', 'port2'])
    realm.accessor(prototype, key, {
      get: (original) =>
        ({
          method() {
            const found = apply(original, this, []);
            const one = ports[0]!(this);
            const two = ports[1]!(this);
            if (!peers.has(one)) {
              peers.set(one, two);
              peers.set(two, one);
              box(one);
              box(two);
            }
            return found;
          },
        }).method,
    });
  replace(
    global.MessagePort.prototype,
    'postMessage',
    (original) =>
      ({
        method(...args: unknown[]) {
          const result = apply(original, this, args);
          const peer = isObject(this) && peers.get(this);
          if (peer) box(peer).send(realm);
          return result;
        },
      }).method,
  );
  replace(
    global.MessagePort.prototype,
    'start',
    (original) =>
      ({
        method(...args: unknown[]) {
          if (isObject(this) && peers.has(this)) box(this).opened ||= agent.event;
          return apply(original, this, args);
        },
      }).method,
  );
}

function patchChannels(realm: WindowRealm, box: Box): void {
  const { global } = realm;
  const native = global.BroadcastChannel;
  if (!native) return;
  const name = realm.getter(native.prototype, 'name');
  const open = newMap<string, List<object | undefined>>();
  const listeners = (channel: object): List<object | undefined> => {
    let found = open.get(name(channel));
    if (!found) open.set(name(channel), (found = new List()));
    return found;
  };
  standFor(global, 'BroadcastChannel', (target, args, newTarget) => {
    const channel = construct(target, args, newTarget) as object;
    box(channel);
    listeners(channel).add(channel);
    return channel;
  });
  replace(
    native.prototype,
    'postMessage',
    (original) =>
      ({
        method(...args: unknown[]) {
          const result = apply(original, this, args);
          if (inherits(this, native.prototype)) {
            const all = listeners(this);
            for (let at = 0; at < all.length; at++) {
              const channel = all.at(at);
              if (channel && channel !== this) box(channel).send(realm);
            }
          }
          return result;
        },
      }).method,
  );
  replace(
    native.prototype,
    'close',
    (original) =>
      ({
        method(...args: unknown[]) {
          if (inherits(this, native.prototype)) {
            const all = listeners(this);
            for (let at = 0; at < all.length; at++) if (all.at(at) === this) all.put(at, undefined);
          }
          return apply(original, this, args);
        },
      }).method,
  );
}

/** Patches windows. The source of a message distinguishes the senders of messages to one window. */
function patchWindows(dispatches: Dispatches, box: Box): void {
  const { realm } = dispatches;
  const { global, agent } = realm;
  const source = realm.getter(global.MessageEvent.prototype, 'source');
  const { origin } = global.location;
  replace(
    global,
    'postMessage',
    (original) =>
      ({
        method(...args: unknown[]) {
          const result = apply(original, this, args);
          const options = args[1];
          const to = isObject(options) ? describe(options, 'targetOrigin')?.value : options;
          const arrives = to === undefined || to === '*' || to === '/' || to === origin;
          if (arrives && (this === undefined || this === global)) box(global).send(realm);
          return result;
        },
      }).method,
  );
  const arrived = (event: any): void => {
    if (!dispatches.isNative(event) || agent.isAlive) return;
    if (source(event) === global) return dispatches.find(event);
    dispatches.begin(event, realm.id(), 'message', 'window');
    agent.end();
  };
  realm.started(() => realm.listen(global, 'message', arrived, true));
}

/** Replaces a constructor of the platform by one that makes the same objects. */
export function standFor(global: any, key: string, make: (target: any, args: any[], newTarget: any) => object): void {
  const property = describe(global, key);
  const native = property?.value;
  if (!property || typeof native !== 'function') return;
  const ours: any = new RealProxy(native, {
    construct: (target, args, newTarget) => make(target, args, newTarget === ours ? target : newTarget),
  });
  disguise(ours, native);
  define(global, key, { ...property, value: ours });
  const constructor = describe(native.prototype, 'constructor');
  if (constructor?.configurable) define(native.prototype, 'constructor', { ...constructor, value: ours });
}
