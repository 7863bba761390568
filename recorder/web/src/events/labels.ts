/** The title of a document, and the name and the status of a window. All have a value from the start. */
import { apply } from 'interloper-js-recorder/natives';
import { valueText } from 'interloper-js-recorder/names';
import { INITIALISED, type WindowRealm } from './window';

export function patchLabels(realm: WindowRealm): void {
  const { global } = realm;
  const patch = (holder: any, key: string, name: string, belongs: (object: unknown) => boolean): void => {
    const current = realm.getter(holder, key);
    const record = (object: unknown, write: boolean): void => {
      if (realm.agent.event !== '' && belongs(object))
        realm.record(INITIALISED, name, write, valueText(current(object)));
    };
    realm.accessor(holder, key, {
      get: (original) =>
        ({
          method() {
            record(this, false);
            return apply(original, this, []);
          },
        }).method,
      set: (original) =>
        ({
          method(value: unknown) {
            apply(original, this, [value]);
            record(this, true);
          },
        }).method,
    });
  };
  const isWindow = (object: unknown): boolean => object === global || object === undefined;
  for (const key of ['name', 'status']) patch(global, key, `window.${key}`, isWindow);
  patch(global.Document.prototype, 'title', 'document.title', (object) => object === global.document);
}
