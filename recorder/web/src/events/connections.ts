/**
 * WebSockets and EventSources of a replay, which has no network: they play back what was recorded.
 *
 * The n-th connection of a document to an address gets the frames of the n-th recorded one. A frame comes as
 * late after what it may depend on as it did when it was recorded: after the last frame that the page had sent
 * before, or after the opening if the page had sent none. So an answer never comes before the frame that it answers,
 * in whatever order the page sends its frames. If the page sends fewer frames than were recorded, the frames after
 * them do not come: a server that pushes cannot be told from one that answers, and this shows no effect without its
 * cause. Frames never overtake each other.
 *
 * A connection that was not recorded fails, as without a network. The objects are the platform's own event targets
 * with the platform's prototypes, whose attributes read what is kept here.
 */
import { apply, construct, define, describe, newMap, newWeakMap, RealUint8Array } from 'interloper-js-recorder/natives';
import { disguise, replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';
import { standFor } from './messages';

/** What one side of a connection sent. */
export interface Frame {
  time: number;
  sent?: boolean;
  binary?: boolean;
  data: string;
  event?: string;
  id?: string;
}

/** A recorded connection. */
export interface Connection {
  kind: string;
  url: string;
  protocol?: string;
  made: number;
  opened?: number;
  closed?: number;
  frames: readonly Frame[];
}

/** How many milliseconds a connection takes to fail that was not recorded. */
const FAILS = 20;
/** The code of a connection that was lost. */
const LOST = 1006;

const [CONNECTING, OPEN, CLOSING, CLOSED] = [0, 1, 2, 3] as const;
const { charCodeAt } = String.prototype;

/** A connection that is played back. */
interface Played {
  state: number;
  url: string;
  recorded: Connection | undefined;
  /** The next recorded frame. */
  next: number;
  /** How many frames the page has sent. */
  sent: number;
  /** When the last thing happened that frames may depend on, now and in the recording. */
  now: number;
  then: number;
  binaryType: string;
  withCredentials: boolean;
  /** The handlers that were set through properties. */
  handlers: Map<string, { handler: unknown; listener: Method }>;
}

type Deliver = (target: object, event: object) => void;

export class Connections {
  private readonly played = newWeakMap<object, Played>();
  private readonly counts = newMap<string, number>();
  private readonly makers: Record<'URL' | 'Event' | 'MessageEvent' | 'CloseEvent' | 'Blob' | 'EventTarget', any>;
  private readonly decode: Method;
  private readonly listen: (target: any, type: string, listener: Method) => void;
  private readonly unlisten: (target: any, type: string, listener: Method) => void;

  constructor(
    private readonly dispatches: Dispatches,
    private readonly recorded: readonly Connection[],
    private readonly now: () => number,
    private readonly later: (callback: () => void, delay: number) => void,
  ) {
    const { realm } = dispatches;
    const { URL, Event, MessageEvent, CloseEvent, Blob, EventTarget, atob } = realm.global;
    this.makers = { URL, Event, MessageEvent, CloseEvent, Blob, EventTarget };
    this.decode = atob;
    const targets = EventTarget.prototype;
    this.listen = realm.method(targets, 'addEventListener');
    this.unlisten = realm.method(targets, 'removeEventListener');
    this.patch('WebSocket', ['open', 'message', 'error', 'close']);
    this.patch('EventSource', ['open', 'message', 'error']);
  }

  /** Dispatches an event to a connection. */
  deliver: Deliver = () => {};

  private patch(kind: string, types: string[]): void {
    const { global } = this.dispatches.realm;
    const native = global[kind];
    if (!native) return;
    const { prototype } = native;
    standFor(global, kind, (_target, args, newTarget) => this.make(kind, args, newTarget));
    const attributes: [string, (played: Played) => unknown][] = [
      ['url', ({ url }) => url],
      ['readyState', ({ state }) => (kind === 'EventSource' && state > OPEN ? 2 : state)],
      ['bufferedAmount', () => 0],
      ['extensions', () => ''],
      ['protocol', ({ recorded, state }) => (state === CONNECTING ? '' : (recorded?.protocol ?? ''))],
      ['withCredentials', ({ withCredentials }) => withCredentials],
    ];
    for (const [key, read] of attributes) this.attribute(prototype, key, read);
    this.attribute(
      prototype,
      'binaryType',
      ({ binaryType }) => binaryType,
      (played, value) => {
        if (value === 'blob' || value === 'arraybuffer') played.binaryType = value;
      },
    );
    for (const type of types)
      this.attribute(
        prototype,
        `on${type}`,
        ({ handlers }) => handlers.get(type)?.handler ?? null,
        (played, handler, target) => this.handle(played, target, type, handler),
      );
    this.method(prototype, 'send', (target, played) => this.sent(target, played));
    this.method(prototype, 'close', (target, played) => this.close(kind, target, played));
  }

  /** Replaces an attribute of a prototype for connections that are played back. */
  private attribute(
    prototype: object,
    key: string,
    read: (played: Played) => unknown,
    write?: (played: Played, value: unknown, target: object) => void,
  ): void {
    const property = describe(prototype, key);
    if (!property?.configurable || !property.get) return;
    const { played } = this;
    const { get, set } = property as { get: Method; set?: Method };
    const changed: PropertyDescriptor = { ...property };
    const reader = {
      method(this: any) {
        const found = isObject(this) && played.get(this);
        return found ? read(found) : apply(get, this, []);
      },
    }.method;
    changed.get = disguise(reader, get) as () => unknown;
    if (set && write) {
      const writer = {
        method(this: any, value: unknown) {
          const found = isObject(this) && played.get(this);
          if (found) write(found, value, this);
          else apply(set, this, [value]);
        },
      }.method;
      changed.set = disguise(writer, set) as () => void;
    }
    define(prototype, key, changed);
  }

  private method(prototype: object, key: string, act: (target: object, played: Played) => void): void {
    const { played } = this;
    replace(
      prototype,
      key,
      (original) =>
        ({
          method(...args: unknown[]) {
            const found = isObject(this) && played.get(this);
            if (!found) return apply(original, this, args);
            // The platform raises the error.
            if (key === 'send' && found.state === CONNECTING) return apply(original, undefined, args);
            return act(this, found);
          },
        }).method,
    );
  }

  private handle(played: Played, target: object, type: string, handler: unknown): void {
    const before = played.handlers.get(type);
    if (before) this.unlisten(target, type, before.listener);
    played.handlers.delete(type);
    if (typeof handler !== 'function') return;
    const listener = function (this: unknown, event: unknown): unknown {
      return apply(handler as Method, this, [event]);
    };
    played.handlers.set(type, { handler, listener });
    this.listen(target, type, listener);
  }

  private make(kind: string, args: any[], newTarget: any): object {
    const { URL, Event, EventTarget } = this.makers;
    const { document, location } = this.dispatches.realm.global;
    const address = new URL(args[0], document ? document.baseURI : location.href);
    if (kind === 'WebSocket' && address.protocol === 'http:') address.protocol = 'ws:';
    if (kind === 'WebSocket' && address.protocol === 'https:') address.protocol = 'wss:';
    const url: string = address.href;
    const target = construct(EventTarget, [], newTarget) as object;
    const nth = this.counts.get(`${kind} ${url}`) ?? 0;
    this.counts.set(`${kind} ${url}`, nth + 1);
    const recorded = this.find(kind, url, nth);
    const played: Played = {
      state: CONNECTING,
      url,
      recorded,
      next: 0,
      sent: 0,
      now: this.now(),
      then: recorded?.made ?? 0,
      binaryType: 'blob',
      withCredentials: false,
      handlers: newMap(),
    };
    this.played.set(target, played);
    if (recorded?.opened === undefined) this.at(FAILS, () => this.fail(kind, target, played));
    else
      this.at(recorded.opened - recorded.made, () => {
        if (played.state !== CONNECTING) return;
        played.state = OPEN;
        this.depend(played, recorded.opened!);
        this.deliver(target, new Event('open'));
        this.play(kind, target, played);
      });
    return target;
  }

  private find(kind: string, url: string, nth: number): Connection | undefined {
    let count = 0;
    let last: Connection | undefined;
    for (let at = 0; at < this.recorded.length; at++) {
      const one = this.recorded[at]!;
      if (one.kind !== kind || one.url !== url) continue;
      last = one;
      if (count++ === nth) break;
    }
    return last;
  }

  /** Notes that something happened now that later frames may depend on. */
  private depend(played: Played, then: number): void {
    played.now = this.now();
    played.then = then;
  }

  /** Calls `act` after a delay. The replay knows that it waits for this. */
  private at(delay: number, act: () => void): void {
    const { holds } = this.dispatches.realm.agent;
    let isOver = false;
    const happen = (): void => {
      if (isOver) return;
      isOver = true;
      if (expected) expected.isOver = true;
      act();
    };
    const expected = holds?.expect(delay, () => this.later(happen, 0));
    this.later(happen, delay);
  }

  /** Plays the next frame, if the page has sent all that came before it. */
  private play(kind: string, target: object, played: Played): void {
    const { recorded } = played;
    if (!recorded || played.state !== OPEN) return;
    const { frames } = recorded;
    let before = 0;
    for (let at = 0; at < played.next; at++) if (frames[at]!.sent) before++;
    while (played.next < frames.length && frames[played.next]!.sent) {
      if (played.sent <= before) return;
      before++;
      played.next++;
    }
    const frame = frames[played.next];
    if (!frame) {
      if (recorded.closed !== undefined)
        this.at(this.delay(played, recorded.closed), () => this.closed(kind, target, played, true));
      return;
    }
    const number = played.next++;
    this.at(this.delay(played, frame.time), () => {
      if (played.state !== OPEN) return;
      this.receive(kind, target, played, frame);
      if (played.next === number + 1) this.play(kind, target, played);
    });
  }

  private delay(played: Played, time: number): number {
    const left = time - played.then - (this.now() - played.now);
    return left > 0 ? left : 0;
  }

  private receive(kind: string, target: object, played: Played, frame: Frame): void {
    const { URL, MessageEvent } = this.makers;
    const { origin } = new URL(played.url);
    const data = frame.binary ? this.binary(played, frame.data) : frame.data;
    const init = { data, origin, lastEventId: frame.id ?? '' };
    const type = kind === 'EventSource' ? frame.event || 'message' : 'message';
    this.deliver(target, new MessageEvent(type, init));
  }

  private binary(played: Played, data: string): unknown {
    const text = apply(this.decode, this.dispatches.realm.global, [data]) as string;
    const bytes = new RealUint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = apply(charCodeAt, text, [at]) as number;
    return played.binaryType === 'arraybuffer' ? bytes.buffer : new this.makers.Blob([bytes]);
  }

  /** Notes that the page sent a frame: frames that were recorded after it may come now. */
  private sent(target: object, played: Played): void {
    if (played.state !== OPEN) return;
    played.sent++;
    const { frames } = played.recorded!;
    let count = 0;
    for (let at = 0; at < frames.length; at++)
      if (frames[at]!.sent && ++count === played.sent) {
        this.depend(played, frames[at]!.time);
        if (played.next === at) this.play('WebSocket', target, played);
        return;
      }
  }

  private close(kind: string, target: object, played: Played): void {
    if (played.state >= CLOSING) return;
    if (kind === 'EventSource') played.state = CLOSED;
    else {
      played.state = CLOSING;
      this.at(FAILS, () => this.closed(kind, target, played, true));
    }
  }

  private fail(kind: string, target: object, played: Played): void {
    if (played.state === CLOSED) return;
    played.state = CLOSED;
    this.deliver(target, new this.makers.Event('error'));
    if (kind === 'WebSocket') this.end(target, false);
  }

  private closed(kind: string, target: object, played: Played, wasClean: boolean): void {
    if (played.state === CLOSED) return;
    played.state = CLOSED;
    if (kind === 'WebSocket') this.end(target, wasClean);
    else this.deliver(target, new this.makers.Event('error'));
  }

  private end(target: object, wasClean: boolean): void {
    const init = { code: wasClean ? 1000 : LOST, reason: '', wasClean };
    this.deliver(target, new this.makers.CloseEvent('close', init));
  }
}
