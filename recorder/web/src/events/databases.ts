/**
 * IndexedDB: the events of requests and transactions, and the keys of object stores as locations.
 *
 * A request's event follows the call that placed it, and the events of one transaction follow each
 * other. Opening and deleting one database happen in the order of the calls; `upgradeneeded` and the
 * events of the upgrade come before `success`. A read-write transaction waits for those that were made
 * before it and share a store. The stores' queue states that: making a transaction posts its first event
 * and its last to the queue of the store whose name is first in its scope. Two transactions that share
 * only other stores are not ordered here.
 *
 * A key is accessed by the event that places the request, because the browser executes the requests of
 * transactions in that order. A request for many keys reads all keys that are known of its store.
 */
import { apply, List, newMap, newWeakMap, peek } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject, shorten, valueText } from 'interloper-js-recorder/names';
import { inherits } from 'interloper-js-recorder/realm';
import type { Dispatches } from './dispatch';

/** Requests that name one key, and whether they write it; `put` and `add` take a value before the key. */
const KEYED: [string, boolean, number][] = [
  ['get', false, 0],
  ['getKey', false, 0],
  ['count', false, 0],
  ['delete', true, 0],
  ['put', true, 1],
  ['add', true, 1],
];
/** Requests for many keys. */
const SCANS = ['getAll', 'getAllKeys', 'getAllRecords', 'openCursor', 'openKeyCursor'];

/** A request, or the opening of a database. */
interface Request {
  /** The event of its next dispatch. */
  next: string;
  /** The event that placed it. */
  placed: string;
  /** Its transaction; for an opening, the upgrade. */
  transaction: Transaction | undefined;
  last: string;
}

interface Transaction {
  made: string;
  /** The posted first event, if it has not begun. */
  first: string;
  /** The posted last event, if it has not begun. */
  final: string;
  last: string;
}

interface Store {
  name: string;
  known: Map<string, true>;
  keys: List<string>;
}

export function patchDatabases(dispatches: Dispatches): void {
  if (dispatches.realm.global.IDBFactory) new Databases(dispatches).patch();
}

class Databases {
  private readonly requests = newWeakMap<object, Request>();
  private readonly transactions = newWeakMap<object, Transaction>();
  private readonly stores = newMap<string, Store>();
  private readonly queues = newMap<string, string>();
  private readonly transactionOf: (request: any) => any;
  private readonly nameOfStore: (store: any) => string;
  private readonly nameOfDatabase: (database: any) => string;
  private readonly databaseOf: (transaction: any) => any;
  private readonly storeTransaction: (store: any) => any;
  private readonly keyPath: (store: any) => unknown;
  private readonly scope: (transaction: any) => any;
  private readonly mode: (transaction: any) => string;
  private readonly ranges: object;
  private readonly indexes: object;

  constructor(private readonly dispatches: Dispatches) {
    const { realm } = dispatches;
    const { global } = realm;
    this.transactionOf = realm.getter(global.IDBRequest.prototype, 'transaction');
    this.nameOfStore = realm.getter(global.IDBObjectStore.prototype, 'name');
    this.storeTransaction = realm.getter(global.IDBObjectStore.prototype, 'transaction');
    this.keyPath = realm.getter(global.IDBObjectStore.prototype, 'keyPath');
    this.nameOfDatabase = realm.getter(global.IDBDatabase.prototype, 'name');
    this.databaseOf = realm.getter(global.IDBTransaction.prototype, 'db');
    this.scope = realm.getter(global.IDBTransaction.prototype, 'objectStoreNames');
    this.ranges = global.IDBKeyRange.prototype;
    this.indexes = global.IDBIndex.prototype;
    this.mode = realm.getter(global.IDBTransaction.prototype, 'mode');
  }

  patch(): void {
    const { global } = this.dispatches.realm;
    for (const key of ['open', 'deleteDatabase'])
      this.after(global.IDBFactory.prototype, key, (_factory, args, request) => this.opening(args[0], request));
    this.after(global.IDBDatabase.prototype, 'transaction', (_database, _args, made) => this.made(made));
    const { prototype: index } = global.IDBIndex;
    const { prototype: store } = global.IDBObjectStore;
    const storeOf = this.dispatches.realm.getter(index, 'objectStore');
    for (const [key, write, at] of KEYED) {
      this.after(store, key, (owner, args, request) => {
        this.placed(request);
        this.key(
          owner,
          at === 1 ? (args[1] ?? this.inner(owner, args[0])) : args[0],
          write,
          at === 1 ? args[0] : undefined,
        );
      });
      this.after(index, key, (owner, _args, request) => {
        this.placed(request);
        this.all(storeOf(owner), false);
      });
    }
    for (const key of SCANS) {
      this.after(store, key, (owner, _args, request) => {
        this.placed(request);
        this.all(owner, false);
      });
      this.after(index, key, (owner, _args, request) => {
        this.placed(request);
        this.all(storeOf(owner), false);
      });
    }
    this.after(store, 'clear', (owner, _args, request) => {
      this.placed(request);
      this.all(owner, true);
    });
    this.cursors(global, storeOf);
    this.dispatches.source((event, target, type) => this.dispatched(event, target, type));
  }

  /** Cursors place a request for each step, and change the key that they are at. */
  private cursors(global: any, storeOf: (index: any) => any): void {
    const { prototype } = global.IDBCursor;
    const { realm } = this.dispatches;
    const source = realm.getter(prototype, 'source');
    const primary = realm.getter(prototype, 'primaryKey');
    const request = realm.getter(prototype, 'request');
    for (const key of ['update', 'delete'])
      this.after(prototype, key, (cursor, args, placed) => {
        this.placed(placed);
        const owner = source(cursor);
        const store = inherits(owner, this.indexes) ? storeOf(owner) : owner;
        this.key(store, primary(cursor), true, args[0]);
      });
    for (const key of ['continue', 'continuePrimaryKey', 'advance'])
      this.after(prototype, key, (cursor) => {
        const again = this.requests.get(request(cursor));
        if (again) again.placed = realm.agent.event;
      });
  }

  /** Calls `act` after a method, if an event is running. */
  private after(holder: object, key: string, act: (self: any, args: unknown[], result: any) => void): void {
    const { agent } = this.dispatches.realm;
    replace(
      holder,
      key,
      (original) =>
        ({
          method(...args: unknown[]) {
            const result = apply(original, this, args);
            if (agent.event !== '') act(this, args, result);
            return result;
          },
        }).method,
    );
  }

  private opening(name: unknown, request: object): void {
    const { realm } = this.dispatches;
    const next = realm.id();
    realm.enqueue(next, this.queue(`open ${valueText(name)}`));
    this.requests.set(request, { next, placed: realm.agent.event, transaction: undefined, last: '' });
  }

  private queue(key: string): string {
    let queue = this.queues.get(key);
    if (queue === undefined) {
      queue = `${this.dispatches.realm.id()}.database`;
      this.dispatches.realm.agent.line(`attach ${queue}`);
      this.queues.set(key, queue);
    }
    return queue;
  }

  /** Records that a transaction was made. */
  private made(object: any): void {
    const { realm } = this.dispatches;
    if (this.transactions.has(object)) return;
    const transaction: Transaction = { made: realm.agent.event, first: '', final: '', last: '' };
    this.transactions.set(object, transaction);
    if (this.mode(object) !== 'readwrite') return;
    const queue = this.queue(`${this.nameOfDatabase(this.databaseOf(object))}/${this.scope(object)[0] as string}`);
    realm.enqueue((transaction.first = realm.id()), queue);
    realm.enqueue((transaction.final = realm.id()), queue);
    // The end is recorded even without a listener, because other transactions wait for it.
    const ended = (event: any): void => {
      if (this.dispatches.isNative(event) && this.dispatches.target(event) === object) this.dispatches.find(event);
    };
    realm.listen(object, 'complete', ended, false);
    realm.listen(object, 'abort', ended, false);
  }

  private placed(request: any): void {
    const { agent } = this.dispatches.realm;
    const owner = this.transactionOf(request);
    if (!isObject(owner)) return;
    if (!this.transactions.has(owner)) this.made(owner);
    const transaction = this.transactions.get(owner);
    this.requests.set(request, { next: '', placed: agent.event, transaction, last: '' });
  }

  private dispatched(event: any, target: any, type: string): boolean {
    const request = this.requests.get(target);
    if (request) return this.answered(event, target, type, request);
    const transaction = this.transactions.get(target);
    if (!transaction) return false;
    const { realm, elements } = this.dispatches;
    const ends = type === 'complete' || type === 'abort';
    const id = (ends && transaction.final) || realm.id();
    this.dispatches.begin(event, id, type, elements.target(target));
    realm.arc(transaction.made, id, 'database');
    realm.arc(transaction.last, id, 'database');
    transaction.last = id;
    realm.agent.end();
    return true;
  }

  private answered(event: any, target: any, type: string, request: Request): boolean {
    const { realm, elements } = this.dispatches;
    const { transaction } = request;
    const isOpening = request.next !== '' || request.last !== '';
    const id = request.next || (!isOpening && transaction?.first) || realm.id();
    if (transaction && id === transaction.first) transaction.first = '';
    request.next = '';
    this.dispatches.begin(event, id, type, elements.target(target));
    realm.arc(request.placed, id, 'database');
    realm.arc(request.last, id, 'database');
    realm.arc(transaction?.last ?? '', id, 'database');
    if (isOpening) {
      request.last = id;
      const upgrade = type === 'upgradeneeded' ? this.transactionOf(target) : undefined;
      if (isObject(upgrade)) {
        this.made(upgrade);
        request.transaction = this.transactions.get(upgrade);
        request.transaction!.last = id;
      }
    } else if (transaction) transaction.last = id;
    realm.agent.end();
    return true;
  }

  private store(owner: any): Store {
    const name = `${this.nameOfDatabase(this.databaseOf(this.storeTransaction(owner)))}/${this.nameOfStore(owner)}`;
    let store = this.stores.get(name);
    if (!store) this.stores.set(name, (store = { name, known: newMap(), keys: new List() }));
    return store;
  }

  /** The key inside a value, if the store has keys of that kind. */
  private inner(owner: any, value: unknown): unknown {
    const path = this.keyPath(owner);
    return typeof path === 'string' && isObject(value) ? peek(value, path) : undefined;
  }

  private key(owner: any, key: unknown, write: boolean, value: unknown): void {
    if (key === undefined) return;
    if (inherits(key, this.ranges)) return this.all(owner, write);
    const store = this.store(owner);
    const text = valueText(key);
    if (!store.known.has(text)) {
      store.known.set(text, true);
      store.keys.add(text);
    }
    this.record(store, text, write, write ? valueText(value) : '?');
  }

  private all(owner: any, write: boolean): void {
    const store = this.store(owner);
    for (let at = 0; at < store.keys.length; at++)
      this.record(store, store.keys.at(at), write, write ? 'undefined' : '?');
  }

  private record(store: Store, key: string, write: boolean, value: string): void {
    this.dispatches.realm.record('storage', `indexedDB[${shorten(`${store.name}/${key}`)}]`, write, value);
  }
}
