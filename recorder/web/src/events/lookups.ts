/**
 * Lookups by id: one that finds nothing reads, too. Elements with an id write when they come into
 * the document or leave it (`documents.ts`).
 */
import { apply } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject, shorten } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';

const { exec } = RegExp.prototype;
/** An id that a selector begins with, or is all of. */
const leading = /^#([\w-]+)/;

export function patchLookups({ realm, elements }: Dispatches): void {
  const { global, agent } = realm;
  const told = (id: string, found: unknown): void => {
    if (agent.event === '') return;
    const value = isObject(found) && elements.isElement(found) ? elements.target(found) : 'null';
    realm.tell('dom', `document.getElementById(${shorten(id)})`, false, value);
  };
  realm.teller.named = (key, found, site) => {
    if (!elements.isElement(found) || elements.id(found) !== key) return false;
    realm.teller.lastSite = site;
    told(key, found);
    return true;
  };
  for (const { prototype } of [global.Document, global.DocumentFragment])
    replace(
      prototype,
      'getElementById',
      (original) =>
        ({
          method(...args: unknown[]) {
            const found = apply(original, this, args);
            if (this === elements.document && typeof args[0] === 'string') told(args[0], found);
            return found;
          },
        }).method,
    );
  for (const { prototype } of [global.Document, global.Element])
    for (const name of ['querySelector', 'querySelectorAll'])
      replace(
        prototype,
        name,
        (original) =>
          ({
            method(...args: unknown[]) {
              const found = apply(original, this, args);
              const id = typeof args[0] === 'string' ? (apply(exec, leading, [args[0]]) as string[] | null) : null;
              if (id) told(id[1]!, name === 'querySelector' ? found : found[0]);
              return found;
            },
          }).method,
      );
}
