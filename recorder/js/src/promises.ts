/**
 * Promises, `await` and `queueMicrotask`.
 *
 * A reaction is an event of type `microtask`. It is part of the task that settled its promise or, if
 * the promise was settled before, of the task that called `then`. Its causes are stated one by one,
 * because microtasks are ordered by their causes and not by the order in which they run: `register` and
 * `invoke` state the call of `then` and, if reactions wait already, the call that settles the promise;
 * an arc states another settlement. A promise that the platform settles has no such event: its first
 * reaction begins one. If the platform settled the promise before `then` was called, an event of type
 * `settlement` stands for it, which nothing orders with the task that is running.
 *
 * `await` calls no function that could be replaced. The rewriter puts `H.aw` around its operand, and
 * `H.aw` reacts to the operand just before the engine does: the event is open when the code resumes,
 * normally or by a throw. `H.aw` makes a promise of the operand as the engine would, so that the code
 * resumes in the same microtask turn as without a recorder.
 */
import { apply, construct, describe, isData, List, lookup, newWeakMap, peek } from './natives';
import { disguise, replace, type Method } from './builtins';
import { fileOf, type Modules } from './modules';
import { isObject } from './names';
import { functionName, inherits, type Realm } from './realm';

/** An event that settled something, and the callback that the settling call registered, if any. */
export interface Cause {
  event: string;
  callback: string;
}

/** The known causes of the settlement of a promise. */
interface Settlement {
  cause: Cause | undefined;
  /** Whether reactions wait for the promise, or for one that takes over its state. */
  awaited: boolean;
  /** The promise whose state this promise takes over. */
  adopted: object | undefined;
  /** The combination whose result this promise is. */
  combined: Combination | undefined;
}

function unsettled(): Settlement {
  return { cause: undefined, awaited: false, adopted: undefined, combined: undefined };
}

/** The call of `then` or `await` that asked for a reaction. */
interface Request {
  event: string;
  callback: string;
  /** Whether the call found the promise settled by a known event. */
  settled: boolean;
}

/** The reactions of `Promise.all` and the like to their inputs. */
class Combination {
  readonly kept = new List<Cause>();
  readonly broken = new List<Cause>();

  constructor(private readonly kind: string) {}

  note(cause: Cause, fulfilled: boolean): void {
    (fulfilled ? this.kept : this.broken).add(cause);
  }

  /** Visits the causes of the result: all of a list, or its first. */
  causes(fulfilled: boolean, visit: (cause: Cause) => void): void {
    const { kind, kept, broken } = this;
    const each = (list: List<Cause>, most: number): void => {
      for (let at = 0; at < list.length && at < most; at++) visit(list.at(at));
    };
    if (kind === 'allSettled') {
      each(kept, Infinity);
      each(broken, Infinity);
    } else if (kind === 'race') each(fulfilled ? kept : broken, 1);
    else each(fulfilled ? kept : broken, fulfilled === (kind === 'all') ? Infinity : 1);
  }
}

/** The event that begins when the platform settles a promise. */
interface Origin {
  id: string;
  type: string;
  name: string;
  /** Called with the event of the first reaction. */
  begun: ((event: string) => void) | undefined;
}

export class Promises {
  private readonly native: any;
  private readonly then: Method;
  /** The function that has replaced `then`. */
  private readonly ours: unknown;
  private readonly known = newWeakMap<object, Settlement>();
  private readonly origins = newWeakMap<object, Origin>();
  /** The event that settles the promise whose reactions come next, and when this was noted. */
  private completing: { cause: Cause; begun: number } | undefined;
  private combining: Combination | undefined;
  private made: Settlement | undefined;

  constructor(
    private readonly realm: Realm,
    modules: Modules,
  ) {
    const { global, hooks } = realm;
    this.native = global.Promise;
    this.then = global.Promise.prototype.then;
    this.patchThen();
    this.ours = this.native.prototype.then;
    for (const kind of ['all', 'allSettled', 'race', 'any']) this.patchCombination(kind);
    for (const kind of ['resolve', 'reject']) this.patchSettled(kind);
    this.patchResolvers();
    this.patchMicrotasks();
    hooks.aw = (value: unknown) => this.wait(value);
    hooks.im = (promise: object) => {
      const address = modules.imports();
      const follows = (id: string): void => realm.arc(modules.event(address), id, 'script');
      return this.origin(promise, 'import', address === undefined ? 'import()' : fileOf(address), 'scripts', follows);
    };
    hooks.ar = (value: unknown) => {
      const cause = this.completes();
      if (cause) this.expectJob(value, cause);
      return value;
    };
    hooks.px = (constructor: unknown, executor: unknown) => this.executor(constructor, executor);
    hooks.pn = (promise: object) => {
      const { made } = this;
      this.made = undefined;
      if (made && this.isPromise(promise)) this.known.set(promise, made);
      return promise;
    };
  }

  /**
   * Notes that the running event is about to settle a promise that the runtime does not know: that of an
   * async function, or one that takes over the state of another. The reactions that wait for it are queued
   * at once, so a microtask that is queued just before them runs just before them.
   */
  private completes(): Cause | undefined {
    const { agent } = this.realm;
    if (agent.event === '') return undefined;
    const cause: Cause = { event: agent.event, callback: this.register() };
    agent.soon(() => {
      this.completing = { cause, begun: agent.begun };
    });
    return cause;
  }

  /** The event that settled the promise of the microtask that begins now, if that was noted just before. */
  private completed(): Cause | undefined {
    const { completing } = this;
    this.completing = undefined;
    return completing?.begun === this.realm.agent.begun ? completing.cause : undefined;
  }

  isPromise(value: unknown): value is object {
    return inherits(value, this.native.prototype);
  }

  /**
   * Whether `resolve` of `maker` calls the `then` of an object that inherits from promises: not that of a
   * promise that `maker` made, which may have got another `then`, but that of an object which is no promise,
   * such as `Object.create(Promise.prototype, { then })`.
   */
  private isOther(value: object, maker: unknown): boolean {
    if (this.thenOf(value) === undefined) return false;
    if (peek(value, 'constructor') !== maker) return true;
    const { holder } = lookup(value, 'then')!;
    return holder !== value && describe(holder, 'constructor')?.value !== maker;
  }

  /** The `then` of an object, if it is not that of promises. */
  private thenOf(value: object): Method | undefined {
    const property = lookup(value, 'then')?.property;
    if (!property || !isData(property) || typeof property.value !== 'function') return undefined;
    return property.value === this.ours ? undefined : (property.value as Method);
  }

  /**
   * Records that the platform will settle a promise, in an event that the running event posts. Returns the promise,
   * or one that takes its place if a replay holds the event back.
   */
  origin(promise: any, type: string, name: string, queue: string, begun?: (event: string) => void): any {
    if (!this.isPromise(promise) || this.origins.has(promise)) return promise;
    const id = this.realm.id();
    const { agent } = this.realm;
    this.realm.enqueue(id, queue);
    const result = agent.event !== '' && agent.holds?.has(id) ? this.held(promise, id) : promise;
    this.origins.set(result, { id, type, name, begun });
    return result;
  }

  /** A promise that is settled as another one, but only when the task of an event is released. */
  private held(promise: object, id: string): object {
    const { holds } = this.realm.agent;
    return construct(this.native, [
      (resolve: Method, reject: Method) => {
        const settle = (act: Method) => (value: unknown) => {
          const run = (): unknown => apply(act, undefined, [value]);
          if (!holds?.holds(id, run)) run();
        };
        apply(this.then, promise, [settle(resolve), settle(reject)]);
      },
    ]) as object;
  }

  private settlement(promise: object): Settlement {
    let found = this.known.get(promise);
    if (!found) {
      found = unsettled();
      this.known.set(promise, found);
    }
    return found;
  }

  /** The running event as a cause. */
  now(): Cause {
    return { event: this.realm.agent.event, callback: '' };
  }

  private settle(settlement: Settlement, value: unknown): void {
    if (settlement.cause || this.realm.agent.event === '') return;
    const cause = { event: this.realm.agent.event, callback: settlement.awaited ? this.register() : '' };
    settlement.cause = cause;
    this.expectJob(value, cause);
    if (!this.isPromise(value)) return;
    settlement.adopted = value;
    if (settlement.awaited) this.settlement(value).awaited = true;
  }

  /**
   * Begins an event for the call of a thenable's own `then`, if a promise is about to be resolved with one.
   * The platform makes that call in a microtask, which it queues right after this one.
   */
  private expectJob(value: unknown, { event, callback }: Cause): void {
    if (!isObject(value) || !this.thenOf(value)) return;
    const { agent } = this.realm;
    agent.soon(() => {
      if (!agent.isAlive || (agent.event !== '' && !agent.isOpen)) return;
      const id = this.realm.id();
      agent.begin(id, 'microtask', 'then');
      if (callback !== '') agent.line(`invoke ${callback}`);
      else this.realm.arc(event, id);
      agent.endLater();
    });
  }

  /** Records that an event settled a promise, or will: the platform does it later on behalf of that event. */
  settledBy(promise: object, cause: Cause): void {
    if (this.isPromise(promise)) this.settlement(promise).cause ??= cause;
  }

  /** Notes that the platform itself waits for a promise. */
  awaited(promise: unknown): void {
    if (!this.isPromise(promise)) return;
    for (let at: Settlement | undefined = this.settlement(promise); at && !at.awaited; )
      (at.awaited = true), (at = at.adopted && this.settlement(at.adopted));
  }

  /** States the events that settled a promise, for which the platform has waited, as causes of an event. */
  settlers(promise: unknown, id: string): void {
    if (this.isPromise(promise)) this.follow(promise, id, { event: '', callback: '', settled: false }, true, 8);
  }

  /** Begins the event of a reaction to a promise. */
  private begin(promise: object, request: Request, fulfilled: boolean, name: string): void {
    const { agent } = this.realm;
    const settler = this.completed();
    const own = this.settlement(promise);
    if (settler && !own.cause && !own.adopted && !own.combined && !this.origins.has(promise)) own.cause = settler;
    const origin = this.originOf(promise, 8);
    const id = agent.isAlive || !origin ? this.realm.id() : origin.id;
    if (agent.isAlive) {
      if (origin) this.settledBefore(promise, origin);
      agent.begin(id, 'microtask', name);
    } else if (origin) {
      agent.begin(id, origin.type, origin.name);
      this.begun(origin, promise, id);
    } else agent.begin(id, 'settled', name);
    if (request.callback !== '') agent.line(`invoke ${request.callback}`);
    this.follow(promise, id, request, fulfilled, 8);
    if (!own.cause && !own.adopted && !own.combined) this.settle(own, undefined);
    if (name === 'await') agent.resumed = id;
  }

  /** The event that settles a promise or, if nothing handled that, the promise whose state it takes over. */
  private originOf(promise: object, depth: number): Origin | undefined {
    const origin = this.origins.get(promise);
    const settlement = this.known.get(promise);
    if (origin || !settlement?.adopted || depth === 0) return origin;
    return this.originOf(settlement.adopted, depth - 1);
  }

  /** Records that the event of an origin has begun, with its first reaction. */
  private begun(origin: Origin, promise: object, id: string): void {
    for (let at: object | undefined = promise; at; at = this.known.get(at)?.adopted)
      if (this.origins.get(at) === origin) {
        this.origins.delete(at);
        this.settlement(at).cause ??= { event: id, callback: '' };
        break;
      }
    origin.begun?.(id);
  }

  /** Records the settlement of a promise that the platform settled at some time before this task. */
  private settledBefore(promise: object, origin: Origin): void {
    this.realm.agent.aside(origin.id, 'settlement', origin.name, () => this.begun(origin, promise, origin.id));
  }

  /** States the events that settled a promise as causes of a reaction to it. */
  private follow(promise: object, id: string, request: Request, fulfilled: boolean, depth: number): void {
    const settlement = this.known.get(promise);
    if (!settlement || depth === 0) return;
    const visit = ({ event, callback }: Cause): void => {
      if (callback !== '') this.realm.agent.line(`invoke ${callback}`);
      else if (event !== request.event || !request.settled) this.realm.arc(event, id);
    };
    const { cause, combined, adopted } = settlement;
    if (cause) visit(cause);
    combined?.causes(fulfilled, visit);
    if (adopted) this.follow(adopted, id, request, fulfilled, depth - 1);
    // An async function settles its promise unseen, in the code after its last `await`.
    else if (!cause && !combined && this.realm.agent.resumed !== '')
      visit((settlement.cause = { event: this.realm.agent.resumed, callback: '' }));
  }

  /** Records that the running event asks for a reaction to a promise. */
  private request(promise: object): Request {
    const settlement = this.settlement(promise);
    const settled = settlement.cause !== undefined;
    this.awaited(promise);
    const { event } = this.realm.agent;
    if (event !== '') return { event, callback: this.register(), settled };
    // The platform calls `then` of a promise whose state another one takes over, in a microtask of its own.
    const cause = this.completed();
    return { event: cause?.event ?? '', callback: cause?.callback ?? '', settled };
  }

  /** Records that the running event registers a callback, and returns the callback's id. */
  private register(): string {
    const { agent } = this.realm;
    if (agent.event === '') return '';
    const callback = this.realm.id();
    agent.line(`register ${callback}${this.realm.site()}`);
    return callback;
  }

  private patchThen(): void {
    const promises = this;
    const { agent } = this.realm;
    replace(
      this.native.prototype,
      'then',
      (original) =>
        ({
          method(...args: any[]) {
            if (!promises.isPromise(this)) return apply(original, this, args);
            const promise: object = this;
            const { combining } = promises;
            const adopts = agent.event === '';
            const request = promises.request(promise);
            let derived: object | undefined;
            const wrap =
              (handler: Method, fulfilled: boolean): Method =>
              (value: unknown) => {
                promises.begin(promise, request, fulfilled, functionName(handler));
                if (adopts) promises.completes();
                combining?.note(promises.now(), fulfilled);
                let result: unknown;
                try {
                  return (result = apply(handler, undefined, [value]));
                } finally {
                  if (derived) promises.settle(promises.settlement(derived), result);
                  agent.end();
                }
              };
            for (let at = 0; at < 2; at++) if (typeof args[at] === 'function') args[at] = wrap(args[at], at === 0);
            derived = apply(original, this, args) as object;
            // Without a handler for its case, the result takes over the state of the promise.
            if (promises.isPromise(derived)) promises.settlement(derived).adopted = promise;
            return derived;
          },
        }).method,
    );
  }

  private patchCombination(kind: string): void {
    const promises = this;
    replace(
      this.native,
      kind,
      (original) =>
        ({
          method(...args: any[]) {
            const before = promises.combining;
            const combination = (promises.combining = new Combination(kind));
            try {
              const result = apply(original, this, args);
              if (promises.isPromise(result)) promises.settlement(result).combined = combination;
              return result;
            } finally {
              promises.combining = before;
            }
          },
        }).method,
    );
  }

  private patchSettled(kind: string): void {
    const promises = this;
    replace(
      this.native,
      kind,
      (original) =>
        ({
          method(...args: any[]) {
            const settlement = unsettled();
            // A promise is returned as it is; only `resolve` calls the `then` of another object.
            if (!promises.isPromise(args[0]) || (kind === 'resolve' && promises.isOther(args[0], this)))
              promises.settle(settlement, kind === 'resolve' ? args[0] : undefined);
            const result = apply(original, this, args);
            if (result === args[0] || !promises.isPromise(result)) return result;
            if (settlement.cause) promises.known.set(result, settlement);
            else promises.settle(promises.settlement(result), args[0]);
            return result;
          },
        }).method,
    );
  }

  /** Wraps a function that settles a promise, so that it remembers the event that calls it. */
  private settler(original: Method, settlement: Settlement): Method {
    const promises = this;
    const { method } = {
      method(...args: unknown[]) {
        promises.settle(settlement, args[0]);
        return apply(original, undefined, args);
      },
    };
    return disguise(method, original) as Method;
  }

  private patchResolvers(): void {
    const promises = this;
    replace(
      this.native,
      'withResolvers',
      (original) =>
        ({
          method(...args: unknown[]) {
            const result = apply(original, this, args);
            if (promises.isPromise(result.promise)) {
              const settlement = promises.settlement(result.promise);
              result.resolve = promises.settler(result.resolve, settlement);
              result.reject = promises.settler(result.reject, settlement);
            }
            return result;
          },
        }).method,
    );
  }

  private executor(constructor: unknown, executor: unknown): unknown {
    if (constructor !== this.native || typeof executor !== 'function') return executor;
    const settlement = unsettled();
    return (resolve: Method, reject: Method) => {
      try {
        const functions = [this.settler(resolve, settlement), this.settler(reject, settlement)];
        return apply(executor, undefined, functions);
      } finally {
        this.made = settlement;
      }
    };
  }

  private patchMicrotasks(): void {
    const { realm } = this;
    const { agent } = realm;
    replace(
      realm.global,
      'queueMicrotask',
      (original) =>
        ({
          method(...args: any[]) {
            const callback = args[0];
            if (typeof callback !== 'function') return apply(original, this, args);
            const id = realm.id();
            realm.enqueue(id, 'microtasks');
            args[0] = () => {
              agent.begin(id, agent.isAlive ? 'microtask' : 'unknown', functionName(callback));
              try {
                apply(callback, undefined, []);
              } finally {
                agent.end();
              }
            };
            return apply(original, this, args);
          },
        }).method,
    );
  }

  private wait(value: unknown): object {
    const { agent } = this.realm;
    const react = (promise: object): object => {
      const request = this.request(promise);
      const resume = (fulfilled: boolean) => () => {
        this.begin(promise, request, fulfilled, 'await');
        agent.endLater();
      };
      apply(this.then, promise, [resume(true), resume(false)]);
      return promise;
    };
    try {
      if (this.isPromise(value) && peek(value, 'constructor') === this.native) return react(value);
    } catch {
      // An object that inherits from promises and is none.
    }
    const settlement = unsettled();
    this.settle(settlement, value);
    const promise: object = new this.native((resolve: (value: unknown) => void) => resolve(value));
    this.known.set(promise, settlement);
    return react(promise);
  }
}
