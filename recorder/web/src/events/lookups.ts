/**
 * Lookups by id. A lookup that finds nothing is a read, too. Inserting or removing an element with an
 * id is a write (`documents.ts`).
 */
import { apply } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';

const { exec } = RegExp.prototype;
/** Matches the id at the start of a selector. */
const leading = /^#([\w-]+)/;

export function patchLookups({ realm, elements }: Dispatches): void {
  const { global, agent } = realm;
  const recordLookup = (node: object, id: string, found: unknown): void => {
    const name = agent.event === '' ? '' : elements.lookup(node, id);
    if (name === '') return;
    const value = isObject(found) && elements.isElement(found) ? elements.target(found) : 'null';
    realm.record('dom', name, false, value);
  };
  realm.recorder.elementNamed = (key, found, site) => {
    if (!elements.isElement(found) || elements.id(found) !== key) return false;
    realm.recorder.lastSite = site;
    recordLookup(elements.document, key, found);
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
            if (typeof args[0] === 'string') recordLookup(this, args[0], found);
            return found;
          },
        }).method,
    );
  for (const { prototype } of [global.Document, global.DocumentFragment, global.Element])
    for (const name of ['querySelector', 'querySelectorAll'])
      replace(
        prototype,
        name,
        (original) =>
          ({
            method(...args: unknown[]) {
              const found = apply(original, this, args);
              const id = typeof args[0] === 'string' ? (apply(exec, leading, [args[0]]) as string[] | null) : null;
              if (id) recordLookup(this, id[1]!, name === 'querySelector' ? found : found[0]);
              return found;
            },
          }).method,
      );
}
