/**
 * Async iteration: `for await`, and `yield*` in async generators.
 *
 * The engine awaits what an iterator's `next` returns, and the code after that is another event. The
 * rewriter puts `H.fa` around the value that is iterated. `H.fa` returns a stand-in whose iterator passes
 * these promises through `H.aw`, which opens the event just before the engine resumes the code.
 */
import { apply } from './natives';
import { isObject } from './names';
import type { Method } from './builtins';
import type { Realm } from './realm';

const { asyncIterator, iterator: syncIterator } = Symbol;

export function patchIteration(realm: Realm): void {
  const { hooks } = realm;
  const { Promise: native } = realm.global;
  const { resolve, reject, prototype } = native;
  const { then } = prototype;

  /** An iterator whose methods return awaited results. The engine reads `next` once, the others when it needs them. */
  const awaited = (iterator: any, call: (method: Method, args: unknown[]) => unknown): object => {
    const { next } = iterator;
    const optional = (key: string): Method | undefined => {
      const method = iterator[key];
      return method === undefined || method === null ? undefined : (...args: unknown[]) => call(method, args);
    };
    return {
      next: (...args: unknown[]) => call(next, args),
      get return() {
        return optional('return');
      },
      get throw() {
        return optional('throw');
      },
    };
  };

  /** As the engine turns the results of a synchronous iterator into promises (CreateAsyncFromSyncIterator). */
  const fromSync = (iterator: any): object =>
    awaited(iterator, (method, args) => {
      let promise: object;
      try {
        const { done, value } = apply(method, iterator, args);
        const isDone = !!done;
        const close = (error: unknown): never => {
          if (!isDone && method === iterator.next) iterator.return?.();
          throw error;
        };
        const settled = apply(resolve, native, [value]);
        promise = apply(then, settled, [(inner: unknown) => ({ value: inner, done: isDone }), close]);
      } catch (error) {
        promise = apply(reject, native, [error]);
      }
      return hooks.aw(promise);
    });

  hooks.fa = (object: any, site: number) => {
    hooks.i(object, site);
    if (object === undefined || object === null) return object;
    return {
      get [asyncIterator]() {
        const method = object[asyncIterator];
        if (method !== undefined && method !== null)
          return () => {
            const iterator = apply(method, object, []);
            if (!isObject(iterator)) return iterator;
            return awaited(iterator, (call, args) => hooks.aw(apply(call, iterator, args)));
          };
        const sync = object[syncIterator];
        // Without a method the engine reports that the value cannot be iterated.
        if (sync === undefined || sync === null) return undefined;
        return () => fromSync(apply(sync, object, []));
      },
    };
  };
}
