/**
 * Messages: `postMessage` of windows, ports and broadcast channels. Messages between one sender and one
 * receiver arrive in the order in which they were sent. So each receiver has a queue of its own, and
 * the n-th delivery is the n-th message of that queue.
 *
 * The sender and the receiver may be in two realms or agents that share no objects. Both count, and the
 * name of an event is that of the queue with the number of the message. A port that is transferred
 * before it was used gets queues that are named after the message that carries it.
 */
import {
  apply,
  construct,
  define,
  describe,
  isArray,
  List,
  newMap,
  newWeakMap,
  peek,
  RealProxy,
} from 'interloper-js-recorder/natives';
import { disguise, replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import type { Deliveries } from './deliveries';
import type { Dispatches } from './dispatch';
import { inherits } from 'interloper-js-recorder/realm';
import type { WindowRealm } from './window';

/** Messages on their way to a receiver. */
export class Mailbox {
  private sent = 0;
  private taken = 0;
  /** Whether the number of the next message has been used by a send that failed. */
  private failed = false;
  /** The event that opened the receiver. */
  opened = '';
  /** The last message that was sent by the event that made the sender. */
  private first = '';

  /**
   * `isRemote` says that the sender or the receiver is in another realm, which counts on its own. `made` is the
   * event that made the sender, if it is new.
   */
  constructor(
    public queue: string,
    public isRemote = false,
    private readonly made = '',
  ) {}

  /** Whether nothing was sent or received. */
  get isFresh(): boolean {
    return this.sent === 0 && this.taken === 0;
  }

  /** The event of the next message to be sent. */
  get next(): string {
    return `${this.queue}/${this.sent}`;
  }

  /**
   * Orders the next message after those that were sent by the event that made the sender: no other event could
   * use the sender before that event was over. The two sending events themselves are not ordered.
   */
  private follow(realm: WindowRealm): void {
    if (this.made === '') return;
    if (realm.agent.event === this.made) this.first = this.next;
    else realm.arc(this.first, this.next, 'message');
  }

  /** Records a send, and calls the platform. Another agent must not be faster than the record. */
  send(realm: WindowRealm, post: () => unknown): unknown {
    if (!this.isRemote) {
      const result = post();
      realm.enqueue(this.next, this.queue);
      this.follow(realm);
      this.sent++;
      return result;
    }
    if (this.failed) realm.arc(realm.agent.event, this.next, 'message');
    else realm.enqueue(this.next, this.queue);
    this.follow(realm);
    realm.agent.send();
    this.failed = true;
    const result = post();
    this.failed = false;
    this.sent++;
    return result;
  }

  /** The event of the next message to be received. */
  get awaited(): string {
    return `${this.queue}/${this.taken}`;
  }

  take(): string | undefined {
    return this.isRemote || this.taken < this.sent ? `${this.queue}/${this.taken++}` : undefined;
  }

  /** Gives a fresh mailbox another name, by which a receiver or a sender elsewhere finds it. */
  rename(queue: string): void {
    this.queue = queue;
    this.isRemote = true;
  }
}

/** The mailboxes of a realm. */
export class Mail {
  private readonly boxes = newWeakMap<object, Mailbox>();
  /** The mailbox that each port or worker sends to. */
  readonly outgoing = newWeakMap<object, Mailbox>();
  private readonly ports: (event: any) => any;
  private readonly portPrototype: object;

  constructor(
    readonly dispatches: Dispatches,
    readonly deliveries: Deliveries,
  ) {
    const { realm } = dispatches;
    this.ports = realm.getter(realm.global.MessageEvent.prototype, 'ports');
    this.portPrototype = realm.global.MessagePort.prototype;
    dispatches.source((event, target, type) => {
      const found = type === 'message' || type === 'messageerror' ? this.boxes.get(target) : undefined;
      if (!found) return false;
      this.delivered(event, found, dispatches.elements.target(target));
      return true;
    });
  }

  /** The mailbox of a receiver. */
  box(receiver: object): Mailbox {
    return this.boxes.get(receiver) ?? this.open(receiver, `${this.dispatches.realm.id()}.messages`, false);
  }

  has(receiver: object): boolean {
    return this.boxes.has(receiver);
  }

  /** Makes the mailbox of a receiver, whose deliveries have a name. */
  open(receiver: object, queue: string, isRemote: boolean, name = ''): Mailbox {
    const made = new Mailbox(queue, isRemote, isRemote ? '' : this.dispatches.realm.agent.event);
    this.dispatches.realm.agent.line(`attach ${queue}`);
    this.boxes.set(receiver, made);
    const task = () => ({ id: made.awaited, name: name || this.dispatches.elements.target(receiver) });
    this.deliveries.watch(receiver, ['message', 'messageerror'], task);
    return made;
  }

  /**
   * Makes the mailbox of a receiver whose senders are in another agent. Both sides count, so every delivery
   * is counted, even those that the program does not listen to.
   */
  receive(receiver: object, queue: string, name: string): Mailbox {
    const { dispatches } = this;
    const { realm } = dispatches;
    const box = this.open(receiver, queue, true, name);
    const heard = (event: any): void => {
      if (dispatches.isNative(event) && !realm.agent.isAlive) this.delivered(event, box, name);
    };
    for (const type of ['message', 'messageerror']) realm.listen(receiver, type, heard, false);
    return box;
  }

  /** Records the delivery of a message. */
  delivered(event: any, box: Mailbox, name: string): void {
    const { realm } = this.dispatches;
    const id = box.take() ?? realm.id();
    this.dispatches.begin(event, id, 'message', name);
    realm.arc(box.opened, id, 'message');
    this.received(event, id);
    realm.agent.end();
  }

  /** Notes the ports that came with a message. */
  received(event: any, message: string): void {
    const ports = this.ports(event);
    for (let at = 0; ports && at < ports.length; at++) {
      const port = ports[at];
      if (this.boxes.has(port)) continue;
      this.open(port, `${message}/in${at}`, true);
      this.outgoing.set(port, new Mailbox(`${message}/out${at}`, true));
    }
  }

  /** Notes the ports that a message takes along. A used port keeps its queues, and its messages lose their order. */
  transfer(args: unknown[], message: string): void {
    const list = isObject(args[1]) && !isArray(args[1]) ? peek(args[1], 'transfer') : args[args.length === 3 ? 2 : 1];
    if (!isArray(list)) return;
    for (let at = 0, index = 0; at < list.length; at++) {
      const port = list[at];
      if (!inherits(port, this.portPrototype)) continue;
      const [inward, outward] = [this.boxes.get(port), this.outgoing.get(port)];
      if (inward?.isFresh && outward?.isFresh) {
        inward.rename(`${message}/in${index}`);
        outward.rename(`${message}/out${index}`);
        this.dispatches.realm.agent.line(`attach ${outward.queue}`);
      }
      index++;
    }
  }
}

export function patchMessages(dispatches: Dispatches, deliveries: Deliveries): Mail {
  const mail = new Mail(dispatches, deliveries);
  patchPorts(dispatches, mail);
  patchChannels(dispatches.realm, (receiver) => mail.box(receiver));
  return mail;
}

type Box = (receiver: object) => Mailbox;

/** Pairs the two ports of a channel when the program first reads one of them. */
function patchPorts({ realm }: Dispatches, mail: Mail): void {
  const { global, agent } = realm;
  const { outgoing } = mail;
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
            if (!outgoing.has(one)) {
              outgoing.set(one, mail.box(two));
              outgoing.set(two, mail.box(one));
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
          const to = isObject(this) && outgoing.get(this);
          if (!to) return apply(original, this, args);
          mail.transfer(args, to.next);
          return to.send(realm, () => apply(original, this, args));
        },
      }).method,
  );
  replace(
    global.MessagePort.prototype,
    'start',
    (original) =>
      ({
        method(...args: unknown[]) {
          if (isObject(this) && outgoing.has(this)) mail.box(this).opened ||= agent.event;
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
              if (channel && channel !== this) box(channel).send(realm, () => undefined);
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

/** A window whose code sends messages. */
interface Caller {
  global: object;
  mail: Mail;
  /** Calls a function of the platform from code of this window. */
  call(method: Method, self: unknown, args: unknown[]): unknown;
}

/**
 * Patches windows. The platform tells the receiver of a message which window the sending code belongs
 * to, so the platform must be called from code of that window. The rewriter marks the calls
 * (`hooks.pm`). Messages from each source have a mailbox of their own.
 */
export function patchWindows(mail: Mail): void {
  const { dispatches } = mail;
  const { realm } = dispatches;
  const { global, agent, hooks } = realm;
  const source = realm.getter(global.MessageEvent.prototype, 'source');
  const { origin } = global.location;
  const sources = newWeakMap<object, Mailbox>();
  const self: Caller = { global, mail, call: (method, receiver, args) => apply(method, receiver, args) };
  hooks.pm = (message: unknown) => {
    agent.caller = self;
    return message;
  };
  const from = (window: object): Mailbox => {
    let found = sources.get(window);
    if (!found) {
      sources.set(window, (found = new Mailbox(`${realm.id()}.messages`)));
      agent.line(`attach ${found.queue}`);
    }
    return found;
  };
  replace(
    global,
    'postMessage',
    (original) =>
      ({
        method(...args: unknown[]) {
          const caller = (agent.caller as Caller | undefined) ?? self;
          agent.caller = undefined;
          const post = (): unknown => caller.call(original, this, args);
          const options = args[1];
          const to = isObject(options) ? describe(options, 'targetOrigin')?.value : options;
          const arrives = to === undefined || to === '*' || to === '/' || to === origin;
          if (!arrives || (this !== undefined && this !== global)) return post();
          const box = from(caller.global);
          caller.mail.transfer(args, box.next);
          return box.send(realm, post);
        },
      }).method,
  );
  const arrived = (event: any): void => {
    if (!dispatches.isNative(event) || agent.isAlive) return;
    const window = source(event);
    if (isObject(window) && sources.has(window)) return mail.delivered(event, from(window), 'window');
    dispatches.begin(event, realm.id(), 'message', 'window');
    agent.end();
  };
  const task = (event: any) => {
    const window = source(event);
    return { id: (isObject(window) && sources.get(window)?.awaited) || '', name: 'window' };
  };
  realm.started(() => {
    mail.deliveries.watch(global, ['message'], task);
    realm.listen(global, 'message', arrived, true);
  });
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
