/**
 * Stamps: data about an object, kept in private fields of the object itself. `Reflect.ownKeys`, proxies,
 * freezing and cloning do not see them, and the engine reads them through an inline cache. A WeakMap
 * in their place was measured at forty times the cost of making an object.
 *
 * The constructor returns the object that it is given, so the fields are added to that object.
 */
import type { Hooks } from './hooks';
import { getPrototypeOf, isArray, newWeakMap, proxies } from './natives';
import type { Pending } from './recorder';

/** The recorder's data about an object that was accessed outside the event that made it. */
export interface Shadow {
  /** The name of the object, once it is needed. */
  name: string | undefined;
  /** The site that made the object, or -1. */
  site: number;
  /** The locations in the object by key, once they are needed. */
  slots: Map<unknown, Slot> | undefined;
  /** The last event in which all elements of the array were read, and how many. */
  swept: number;
  sweptLength: number;
  /** The number of the object, or 0 while no recorded value is this object. */
  id: number;
}

const fresh = (site: number): Shadow => ({
  name: undefined,
  site,
  slots: undefined,
  swept: 0,
  sweptLength: 0,
  id: 0,
});

/** The last event in which a read of a location was recorded, and the last for a write. */
export interface Slot {
  read: number;
  write: number;
  /** The last access of a location whose value is only known where it changes. */
  last: Pending | undefined;
}

/** The slow paths of the property hooks, for objects that the current event did not make. */
export interface Slow {
  get(object: unknown, key: unknown, site: number): void;
  set(object: unknown, key: unknown, site: number): void;
  update(object: unknown, key: unknown, site: number): void;
  getKey(object: unknown, key: unknown, site: number): unknown;
  setKey(object: unknown, key: unknown, site: number): unknown;
  updateKey(object: unknown, key: unknown, site: number): unknown;
}

function Same(this: unknown, object: object): object {
  return object;
}
Same.prototype = null;
const Base = Same as unknown as new (object: object) => object;

const { prototype } = Object;

function isPlain(object: object): boolean {
  return !proxies.has(object) && (isArray(object) || getPrototypeOf(object) === prototype);
}

const unstampable = newWeakMap<object, Shadow>();

export function stamper(hooks: Hooks, slow: Slow) {
  class Stamp extends Base {
    /** The event that made the object, or the negative of the event that first saw an older object. */
    #born: number;
    /** The site that made the object, or its shadow once it has one. */
    #shadow: number | Shadow;

    constructor(object: object, born: number, site: number) {
      super(object);
      this.#born = born;
      this.#shadow = site;
    }

    /** Stamps an object that was made at a site of the current event. */
    static n(object: any, site: number): any {
      if (typeof object === 'object' && object !== null) {
        if (!(#born in object)) Stamp.mark(object, hooks.e, site);
        else if (object.#born === hooks.e) {
          if (typeof object.#shadow === 'number') object.#shadow = site;
        } else if (object.#born === -hooks.e) {
          // The rewriter did not recognise the constructor, so the object was taken for an older one.
          object.#born = hooks.e;
          object.#shadow = site;
        }
      }
      return object;
    }

    /** Stamps an array, a plain object or a node that a built-in function may have made. */
    static m(object: any, site: number): any {
      if (typeof object === 'object' && object !== null && !(#born in object))
        if (isPlain(object) || hooks.isLoose?.(object)) Stamp.mark(object, hooks.e, site);
      return object;
    }

    /** Stamps an object that a constructor is making. The site of the `new` replaces this site. */
    static b(object: any, site: number): void {
      if (typeof object === 'object' && object !== null && !(#born in object)) Stamp.mark(object, hooks.e, site);
    }

    static mark(object: object, born: number, site: number): void {
      try {
        new Stamp(object, born, site);
      } catch {
        // Some engines add no private fields to a frozen object.
        unstampable.set(object, fresh(site));
      }
    }

    /** Whether this event made the object. */
    static isYoung(object: object): boolean {
      return #born in object && (object as any).#born === hooks.e;
    }

    static shadowOf(object: any): Shadow {
      if (!(#born in object)) {
        const known = unstampable.get(object);
        if (known) return known;
        Stamp.mark(object, -hooks.e, -1);
        if (!(#born in object)) return unstampable.get(object)!;
      }
      const shadow = object.#shadow;
      if (typeof shadow === 'object') return shadow;
      return (object.#shadow = fresh(shadow));
    }

    static slot(object: any, key: unknown): Slot | undefined {
      if (!(#born in object)) return undefined;
      const shadow = object.#shadow;
      return typeof shadow === 'object' ? shadow.slots?.get(key) : undefined;
    }

    /**
     * The property hooks. Each has many copies, which the build makes: a copy has inline caches of
     * its own. They are grouped so that the engine keeps each object in its fast form.
     */
    static groups = {
      /** Records that a property is about to be read, and returns the object. */
      r: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return object;
          } else if (typeof object === 'string') return object;
          slow.get(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that a property is about to be written, and returns the object. */
      w: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return object;
          }
          slow.set(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that a property is about to be read and written, and returns the object. */
      x: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return object;
          }
          slow.update(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that a property is about to be read, and returns the key. */
      kr: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return key;
          } else if (typeof object === 'string') return key;
          return slow.getKey(object, key, site);
        },
        // copies end
      },
      /** Records that a property is about to be written, and returns the key. */
      kw: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return key;
          }
          return slow.setKey(object, key, site);
        },
        // copies end
      },
      /** Records that a property is about to be read and written, and returns the key. */
      kx: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return key;
          }
          return slow.updateKey(object, key, site);
        },
        // copies end
      },
      /** Records that a property is about to be read, and returns whether this event made the object. */
      qr: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return true;
          } else if (typeof object === 'string') return true;
          slow.get(object, key, site);
          return false;
        },
        // copies end
      },
      /** Records that a property is about to be written, and returns whether this event made the object. */
      qw: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return true;
          }
          slow.set(object, key, site);
          return false;
        },
        // copies end
      },
      /** Records a read and a write that are about to happen, and returns whether this event made the object. */
      qx: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object') {
            if (object !== null && #born in object && object.#born === hooks.e) return true;
          }
          slow.update(object, key, site);
          return false;
        },
        // copies end
      },
    };
  }
  return Stamp;
}
