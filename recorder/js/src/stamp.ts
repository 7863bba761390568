/**
 * Stamps: data about an object, kept in a private field of the object itself. `Reflect.ownKeys`, proxies,
 * freezing and cloning do not see it, and the engine reads it through an inline cache. A WeakMap in its
 * place was measured at forty times the cost of making an object.
 *
 * The constructor returns the object that it is given, so the field is added to that object. One field
 * is added, not one for each datum, because adding a field costs more than anything else here: the
 * objects that a site makes in an event share a shadow until one of them is accessed in another event.
 */
import type { Hooks } from './hooks';
import { bareArray, create, getPrototypeOf, isArray, isView, newWeakMap, ownKeys, proxies } from './natives';
import type { Pending } from './recorder';
import type { Location, Word } from './wire';

/** The recorder's data about an object, or about all objects that a site made in an event. */
export class Shadow implements Location {
  /** The name of the object, once it is needed. */
  name: string | undefined = undefined;
  /** The name as a word of the text notation. */
  word: string | undefined = undefined;
  number = 0;
  owner = undefined;
  /** The properties of the object that came with the platform, once they are needed. */
  platform: Map<PropertyKey, true> | undefined = undefined;
  /** How many kinds of special objects there were when the object was last found to be none of them. */
  ordinary = 0;
  /** The kind of the object, once it is the value of a recorded access. */
  kind: string | undefined = undefined;
  /** The text of the object as a value, once it is needed, and the length that an array had then. */
  value: Word | undefined = undefined;
  valueLength: unknown = undefined;
  /** The locations in the object by key, once they are needed. */
  slots: Map<unknown, Slot> | undefined = undefined;
  /** The last event in which each element was read, and in which it was written, once they are needed. */
  reads: Int32Array | undefined = undefined;
  writes: Int32Array | undefined = undefined;
  /** The number of elements in `reads` and `writes`. */
  elements = 0;
  /** The last event in which all elements of the array were read, and how many. */
  swept = 0;
  sweptLength = 0;
  /** The number of the object, or 0 while no recorded value is this object. */
  id = 0;

  constructor(
    /** The event that made the object, or the negative of the event that first saw an older object. */
    public born: number,
    /** The site that made the object, or -1. */
    readonly site: number,
    /** Whether it belongs to all objects that the site made in the event. */
    readonly isShared: boolean,
  ) {}
}

/** The last event in which a read of a location was recorded, and the last for a write. */
export interface Slot extends Location {
  read: number;
  write: number;
  /** The last write of a location in an event: of a property, or of one whose value is only known where it changes. */
  last: Pending | undefined;
}

/** The slow paths of the property hooks, for objects that the current event did not make. */
export interface Slow {
  /** The object that each site accessed last in this event, and the key. */
  readonly objects: unknown[];
  readonly keys: unknown[];
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
  return !proxies.has(object) && (isArray(object) || isView(object) || getPrototypeOf(object) === prototype);
}

const unstampable = newWeakMap<object, Shadow>();

export function stamper(hooks: Hooks, slow: Slow) {
  const { objects, keys } = slow;
  /** The shadow of the objects that each site made last. */
  const births = bareArray<Shadow>();

  const beginBirth = (site: number): Shadow => {
    // Modules that import each other may call a function of a module that has not begun.
    if (births.length <= site) Stamp.grow(site + 1);
    return (births[site] = new Shadow(hooks.e, site, true));
  };

  /** The shadow of the next object that is stamped: so that the field is defined with its value. */
  let next: Shadow;

  class Stamp extends Base {
    #shadow: Shadow = next;

    // An implicit constructor spreads its arguments, and some engines do that by iteration.
    constructor(object: object) {
      super(object);
    }

    /** Makes room for the sites below a number. */
    static grow(sites: number): void {
      const none = new Shadow(0, -1, true);
      while (births.length < sites) births[births.length] = none;
      while (objects.length < sites) {
        keys[keys.length] = undefined;
        objects[objects.length] = undefined;
      }
    }

    static mark(object: object, shadow: Shadow): void {
      next = shadow;
      try {
        new Stamp(object);
      } catch {
        // Some engines add no private fields to a frozen object.
        unstampable.set(object, new Shadow(0, shadow.site, false));
      }
    }

    static birth(site: number): Shadow {
      const shadow = births[site];
      return shadow !== undefined && shadow.born === hooks.e ? shadow : beginBirth(site);
    }

    /** Whether this event made the object. */
    static isYoung(object: object): boolean {
      return #shadow in object && (object as any).#shadow.born === hooks.e;
    }

    /** The shadow of an object alone. */
    static shadowOf(object: any): Shadow {
      if (!(#shadow in object)) {
        const known = unstampable.get(object);
        if (known) return known;
        Stamp.mark(object, new Shadow(-hooks.e, -1, false));
        return #shadow in object ? object.#shadow : unstampable.get(object)!;
      }
      const shadow = object.#shadow;
      if (!shadow.isShared) return shadow;
      return (object.#shadow = new Shadow(shadow.born, shadow.site, false));
    }

    /** The shadow of an object, if it has been stamped. */
    static known(object: any): Shadow | undefined {
      return #shadow in object ? object.#shadow : undefined;
    }

    /**
     * The hooks that are called most. Each has many copies, which the build makes: a copy has inline
     * caches of its own.
     */
    static groups = {
      /** Stamps an object or array that an initializer made at a site of the current event. */
      o: {
        // copies begin
        a0(object: any, site: number): any {
          const shadow = births[site];
          next = shadow !== undefined && shadow.born === hooks.e ? shadow : beginBirth(site);
          new Stamp(object);
          return object;
        },
        // copies end
      },
      /**
       * Stamps an object that `new` made at a site of the current event, unless an older event made it. If
       * its event is negative, the rewriter did not recognise the constructor, so that the object was taken
       * for an older one.
       */
      n: {
        // copies begin
        a0(object: any, site: number): any {
          if (typeof object === 'object' && object !== null)
            if (#shadow in object) {
              const { born, isShared } = object.#shadow;
              if (born === hooks.e ? isShared : born === -hooks.e) object.#shadow = Stamp.birth(site);
            } else Stamp.mark(object, Stamp.birth(site));
          return object;
        },
        // copies end
      },
      /** Stamps an array, a plain object, a view or a node that a built-in function may have made. */
      m: {
        // copies begin
        a0(object: any, site: number): any {
          if (typeof object === 'object' && object !== null && !(#shadow in object))
            if (isPlain(object) || hooks.isLoose?.(object)) Stamp.mark(object, Stamp.birth(site));
          return object;
        },
        // copies end
      },
      /** Stamps an object that a constructor is making, and returns whether this event made it. */
      b: {
        // copies begin
        a0(object: any, site: number): boolean {
          if (typeof object !== 'object' || object === null) return false;
          if (#shadow in object) return object.#shadow.born === hooks.e;
          Stamp.mark(object, Stamp.birth(site));
          return true;
        },
        // copies end
      },
      /** Records that a property is about to be read, and returns the object. */
      r: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return object;
          if (objects[site] === object) hooks.at = site;
          else if (typeof object !== 'string') slow.get(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that a property is about to be written, and returns the object. */
      w: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return object;
          if (objects[site] === object) hooks.at = site;
          else slow.set(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that a property is about to be read and written, and returns the object. */
      x: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return object;
          if (objects[site] === object) hooks.at = site;
          else slow.update(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that an element is about to be read, and returns the object. */
      er: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return object;
          if (typeof object !== 'string') slow.get(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that an element is about to be written, and returns the object. */
      ew: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return object;
          slow.set(object, key, site);
          return object;
        },
        // copies end
      },
      /** Records that an element is about to be read and written, and returns the object. */
      ex: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return object;
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
            if (object !== null && #shadow in object && object.#shadow.born === hooks.e) return key;
          } else if (typeof object === 'string') return key;
          return slow.getKey(object, key, site);
        },
        // copies end
      },
      /** Records that a property is about to be written, and returns the key. */
      kw: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return key;
          return slow.setKey(object, key, site);
        },
        // copies end
      },
      /** Records that a property is about to be read and written, and returns the key. */
      kx: {
        // copies begin
        a0(object: any, key: any, site: number): any {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return key;
          return slow.updateKey(object, key, site);
        },
        // copies end
      },
      /** Records that a property is about to be read, and returns whether this event made the object. */
      qr: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return true;
          if (objects[site] === object) hooks.at = site;
          else if (typeof object === 'string') return true;
          else slow.get(object, key, site);
          return false;
        },
        // copies end
      },
      /** Records that a property is about to be written, and returns whether this event made the object. */
      qw: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return true;
          if (objects[site] === object) hooks.at = site;
          else slow.set(object, key, site);
          return false;
        },
        // copies end
      },
      /** Records a read and a write that are about to happen, and returns whether this event made the object. */
      qx: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return true;
          if (objects[site] === object) hooks.at = site;
          else slow.update(object, key, site);
          return false;
        },
        // copies end
      },
      /** Records that an element is about to be read, and returns whether this event made the object. */
      qer: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return true;
          if (typeof object === 'string') return true;
          slow.get(object, key, site);
          return false;
        },
        // copies end
      },
      /** Records that an element is about to be written, and returns whether this event made the object. */
      qew: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return true;
          slow.set(object, key, site);
          return false;
        },
        // copies end
      },
      /** Records a read and a write of an element, and returns whether this event made the object. */
      qex: {
        // copies begin
        a0(object: any, key: any, site: number): boolean {
          if (typeof object === 'object' && object !== null && #shadow in object && object.#shadow.born === hooks.e)
            return true;
          slow.update(object, key, site);
          return false;
        },
        // copies end
      },
    };
  }
  const names = ownKeys(Stamp.groups) as (keyof typeof Stamp.groups)[];
  for (let round = 0; round < 2; round++) for (let at = 0; at < names.length; at++) quicken(Stamp.groups[names[at]!]);
  return Stamp;
}

/**
 * Makes the engine look up the members of an object quickly. V8 keeps an object with 128 members or more
 * in a dictionary, whose functions it can neither inline nor call directly, unless it is a prototype.
 */
function quicken(group: { a0: unknown }): void {
  const child = create(group) as typeof group;
  for (let at = 0; at < 8; at++) void child.a0;
}
