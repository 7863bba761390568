/**
 * Streams that the page makes: the calls of their sources, sinks and transformers.
 *
 * The calls of one stream follow each other, after the construction. A call that the page's own code
 * makes at once, such as `start`, is part of the running event. Another is a microtask, or a task if the
 * browser itself reads or writes the stream; it follows what settled the promise of the call before it. The n-th `write` or `transform` follows the n-th call of a
 * writer. The n-th read gets the n-th chunk, so the event that enqueues the chunk settles the promise of
 * the read.
 */
import { apply, construct, List, newMap, newWeakMap, RealProxy } from 'interloper-js-recorder/natives';
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import type { Cause, Promises } from 'interloper-js-recorder/promises';
import { functionName } from 'interloper-js-recorder/realm';
import { standFor } from './messages';
import type { WindowRealm } from './window';

/** The constructors of streams, and the methods that they take from their first argument. */
const STREAMS: [string, string[]][] = [
  ['ReadableStream', ['start', 'pull', 'cancel']],
  ['WritableStream', ['start', 'write', 'close', 'abort']],
  ['TransformStream', ['start', 'transform', 'flush', 'cancel']],
];
/** Other methods that may call a stream's functions before they return. */
const IMMEDIATE: [string, string[]][] = [
  ['ReadableStream', ['cancel', 'tee', 'pipeTo', 'pipeThrough']],
  ['ReadableStreamDefaultReader', ['cancel']],
  ['ReadableStreamBYOBReader', ['cancel']],
  ['WritableStream', ['abort', 'close']],
  ['WritableStreamDefaultWriter', ['close', 'abort']],
];

/** Items in the order in which they were added and are taken. */
class Line<T> {
  private readonly items = new List<T>();
  private next = 0;

  add(item: T): void {
    this.items.add(item);
  }

  take(): T | undefined {
    return this.next < this.items.length ? this.items.at(this.next++) : undefined;
  }
}

/** A stream of the page. */
class Stream {
  /** The last event in which one of its functions was called. */
  last: string;
  /** What that call returned. The platform waits for it before the next call. */
  result: unknown;
  /** The events that enqueued chunks which are not read yet. */
  readonly chunks = new Line<Cause>();
  /** The promises of reads that wait for a chunk. */
  readonly reads = new Line<object>();
  /** The events that wrote chunks. */
  readonly writes = new Line<string>();
  ended: Cause | undefined;

  /** `made` is the event that made the stream. */
  constructor(readonly made: string) {
    this.last = made;
  }
}

export function patchStreams(realm: WindowRealm, promises: Promises): void {
  new Streams(realm, promises).patch();
}

class Streams {
  /** The streams by their objects, readers, writers and controllers. */
  private readonly streams = newWeakMap<object, Stream>();
  /** How many functions of the platform are running that may call a stream's functions at once. */
  private depth = 0;

  constructor(
    private readonly realm: WindowRealm,
    private readonly promises: Promises,
  ) {}

  patch(): void {
    const { global } = this.realm;
    for (const [name, methods] of STREAMS) this.constructed(name, methods);
    for (const [name, methods] of IMMEDIATE) for (const method of methods) this.around(global[name], method);
    for (const [name, method] of [
      ['ReadableStream', 'getReader'],
      ['WritableStream', 'getWriter'],
    ] as const)
      this.around(global[name], method, (stream, _args, found) => {
        if (isObject(found)) this.streams.set(found, stream);
      });
    for (const name of ['ReadableStreamDefaultReader', 'ReadableStreamBYOBReader'])
      this.around(global[name], 'read', (stream, _args, promise) => this.read(stream, promise as object));
    for (const name of ['ReadableStreamDefaultController', 'TransformStreamDefaultController']) {
      this.around(global[name], 'enqueue', (stream) => this.enqueued(stream));
      for (const end of ['close', 'error', 'terminate']) this.around(global[name], end, (stream) => this.ended(stream));
    }
    this.around(global.WritableStreamDefaultWriter, 'write', undefined, (stream) =>
      stream.writes.add(this.realm.agent.event),
    );
  }

  private constructed(name: string, methods: string[]): void {
    const { global, agent } = this.realm;
    const wanted = newMap<PropertyKey, true>();
    for (const method of methods) wanted.set(method, true);
    const sides: ((stream: object) => unknown)[] = [(stream) => stream];
    if (name === 'TransformStream')
      for (const side of ['readable', 'writable'])
        sides[sides.length] = this.realm.getter(global.TransformStream.prototype, side);
    standFor(global, name, (target, args, newTarget) => {
      const stream = new Stream(agent.event);
      const source = args[0];
      if (isObject(source)) args[0] = this.wrapped(stream, source, wanted);
      this.depth++;
      try {
        const made = construct(target, args, newTarget) as object;
        for (let at = 0; at < sides.length; at++) this.streams.set(sides[at]!(made) as object, stream);
        return made;
      } finally {
        this.depth--;
      }
    });
  }

  /** A stand-in for a source. The platform reads each function once, and calls it with the source as `this`. */
  private wrapped(stream: Stream, source: any, wanted: Map<PropertyKey, true>): object {
    return new RealProxy(
      {},
      {
        get: (_target, key) => {
          const found = source[key];
          if (typeof found !== 'function' || !wanted.has(key)) return found;
          const writes = key === 'write' || key === 'transform';
          return (...args: unknown[]) => this.call(stream, found as Method, source, args, writes);
        },
      },
    );
  }

  /** Calls a function of a source, a sink or a transformer. */
  private call(stream: Stream, callback: Method, self: unknown, args: unknown[], writes: boolean): unknown {
    const { realm } = this;
    const { agent } = realm;
    const controller = args[writes ? 1 : 0];
    if (isObject(controller) && !this.streams.has(controller)) this.streams.set(controller, stream);
    const cause = writes ? stream.writes.take() : undefined;
    if (agent.event !== '' && (this.depth > 0 || !agent.isOpen)) {
      stream.last = agent.event;
      return this.returns(stream, apply(callback, self, args));
    }
    const id = realm.id();
    agent.begin(id, agent.isAlive ? 'microtask' : 'stream', functionName(callback));
    realm.arc(stream.made, id, 'target');
    if (stream.last !== stream.made) realm.arc(stream.last, id, 'network');
    if (cause && cause !== stream.last) realm.arc(cause, id, 'network');
    this.promises.settlers(stream.result, id);
    stream.last = id;
    try {
      return this.returns(stream, apply(callback, self, args));
    } finally {
      agent.end();
    }
  }

  private returns(stream: Stream, result: unknown): unknown {
    stream.result = result;
    this.promises.awaited(result);
    return result;
  }

  private read(stream: Stream, promise: object): void {
    const cause = stream.chunks.take() ?? stream.ended;
    if (cause) this.promises.settledBy(promise, cause);
    else stream.reads.add(promise);
  }

  private enqueued(stream: Stream): void {
    const now = this.promises.now();
    const read = stream.reads.take();
    if (read) this.promises.settledBy(read, now);
    else stream.chunks.add(now);
  }

  private ended(stream: Stream): void {
    const now = (stream.ended = this.promises.now());
    for (let read = stream.reads.take(); read; read = stream.reads.take()) this.promises.settledBy(read, now);
  }

  /** Watches a method that may call a stream's functions, and acts before and after it. */
  private around(
    owner: any,
    key: string,
    after: (stream: Stream, args: unknown[], result: unknown) => void = () => {},
    before: (stream: Stream) => void = () => {},
  ): void {
    const streams = this;
    if (!owner) return;
    replace(
      owner.prototype,
      key,
      (original) =>
        ({
          method(...args: unknown[]) {
            const stream = isObject(this) ? streams.streams.get(this) : undefined;
            const known = stream && streams.realm.agent.event !== '' ? stream : undefined;
            if (known) before(known);
            streams.depth++;
            try {
              const result = apply(original, this, args);
              if (known) after(known, args, result);
              return result;
            } finally {
              streams.depth--;
            }
          },
        }).method,
    );
  }
}
