/** Cookies, `localStorage` and `sessionStorage`. Each key is a location. */
import { apply, newMap, newWeakMap } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject, shorten, valueText } from 'interloper-js-recorder/names';
import type { WindowRealm } from './window';

const { slice, indexOf, trim } = String.prototype;

export function patchStorage(realm: WindowRealm): void {
  const { global } = realm;
  const { prototype } = global.Storage;
  const names = newWeakMap<object, string>();
  for (const key of ['localStorage', 'sessionStorage'])
    realm.accessor(global, key, {
      get: (original) =>
        ({
          method() {
            const found = apply(original, this, []);
            if (isObject(found)) names.set(found, key);
            return found;
          },
        }).method,
    });
  const get = realm.method(prototype, 'getItem');
  const count = realm.getter(prototype, 'length');
  const nth = realm.method(prototype, 'key');
  const record = (storage: unknown, key: unknown, write: boolean, site?: number): void => {
    const name = isObject(storage) && names.get(storage);
    if (!name || realm.agent.event === '' || typeof key !== 'string') return;
    const value = valueText(get(storage, key));
    realm.record('storage', `${name}[${shorten(key)}]`, write, value, site);
  };
  const patch = (key: string, write: boolean): void =>
    replace(
      prototype,
      key,
      (original) =>
        ({
          method(...args: unknown[]) {
            const result = apply(original, this, args);
            record(this, args[0], write);
            return result;
          },
        }).method,
    );
  patch('getItem', false);
  patch('setItem', true);
  patch('removeItem', true);
  replace(
    prototype,
    'clear',
    (original) =>
      ({
        method(...args: unknown[]) {
          const keys: unknown[] = [];
          if (isObject(this) && names.has(this)) for (let at = count(this) - 1; at >= 0; at--) keys[at] = nth(this, at);
          const result = apply(original, this, args);
          for (let at = 0; at < keys.length; at++) record(this, keys[at], true);
          return result;
        },
      }).method,
  );
  realm.recorder.makeSpecial(prototype, (storage, key, site, write) => {
    if (typeof key === 'string' && !(key in prototype))
      recordLater(realm, write, () => record(storage, key, write, site));
    else if (typeof key === 'number') recordLater(realm, write, () => record(storage, `${key}`, write, site));
  });
  patchCookies(realm);
}

/** Records a read at once and a write when the event ends, because a hook runs before its write. */
function recordLater(realm: WindowRealm, write: boolean, record: () => void): void {
  if (write) realm.agent.atEnd(record);
  else record();
}

function patchCookies(realm: WindowRealm): void {
  const known = newMap<string, true>();
  const order: string[] = [];
  const note = (name: string): void => {
    if (known.has(name)) return;
    known.set(name, true);
    order[order.length] = name;
  };
  /** The name and value of `name=value; more`. */
  const split = (text: string): [string, string] => {
    const end = apply(indexOf, text, [';']) as number;
    const pair = end < 0 ? text : (apply(slice, text, [0, end]) as string);
    const at = apply(indexOf, pair, ['=']) as number;
    const name = at < 0 ? '' : (apply(slice, pair, [0, at]) as string);
    return [apply(trim, name, []), apply(trim, apply(slice, pair, [at + 1]), [])];
  };
  const record = (name: string, write: boolean, value: string): void =>
    realm.record('cookie', `cookie[${shorten(name)}]`, write, valueText(value));
  realm.accessor(realm.global.Document.prototype, 'cookie', {
    get: (original) =>
      ({
        method() {
          const found = apply(original, this, []) as string;
          if (realm.agent.event === '') return found;
          const values = newMap<string, string>();
          for (let rest = found; rest !== ''; ) {
            const pair = split(rest);
            note(pair[0]);
            values.set(pair[0], pair[1]);
            const end = apply(indexOf, rest, [';']) as number;
            rest = end < 0 ? '' : (apply(slice, rest, [end + 1]) as string);
          }
          for (let at = 0; at < order.length; at++) record(order[at]!, false, values.get(order[at]!) ?? '');
          return found;
        },
      }).method,
    set: (original) =>
      ({
        method(text: unknown) {
          apply(original, this, [text]);
          if (typeof text !== 'string' || realm.agent.event === '') return;
          const pair = split(text);
          note(pair[0]);
          record(pair[0], true, pair[1]);
        },
      }).method,
  });
}
