/**
 * What is known about an object, kept in the object: private fields, which `Reflect.ownKeys`,
 * proxies, freezing and cloning do not see, and which the engine reads through an inline cache. A
 * WeakMap in their place was measured at forty times the cost of making an object.
 *
 * The constructor returns the object it is given, so the fields are added to that.
 */
import { newWeakMap } from './natives';

/** What the recorder knows about an object that was accessed outside the event that made it. */
export interface Shadow {
  /** Name of the object, once needed. */
  name: string | undefined;
  /** Site that made the object, or -1. */
  site: number;
  /** Locations in the object by key, once needed. */
  slots: Map<unknown, Slot> | undefined;
}

/** The last events that were told of a read and of a write of a location. */
export interface Slot {
  read: number;
  write: number;
}

/** What rewritten code calls; the members are described where they are defined. */
export interface Hooks {
  /** The number of the current event. */
  e: number;
  /** The object whose key is being evaluated. */
  t: unknown;
  /** The last event each site of a global variable was told in. */
  g: number[];
  [name: string]: unknown;
}

export type Slow = (object: unknown, key: unknown, site: number, write: boolean) => void;

function Same(this: unknown, object: object): object {
  return object;
}
Same.prototype = null;
const Base = Same as unknown as new (object: object) => object;

const unstampable = newWeakMap<object, Shadow>();

export function stamper(hooks: Hooks, slow: Slow) {
  class Stamp extends Base {
    #born: number;
    #shadow: number | Shadow;

    constructor(object: object, born: number, site: number) {
      super(object);
      this.#born = born;
      this.#shadow = site;
    }

    /** An object was made at a site: whoever has it in this event has it from here. */
    static n(object: any, site: number): any {
      if (typeof object === 'object' && object !== null) {
        if (!(#born in object)) Stamp.mark(object, hooks.e, site);
        else if (object.#born === hooks.e && typeof object.#shadow === 'number')
          object.#shadow = site;
      }
      return object;
    }

    /** An object is being made by a constructor; the `new` that calls it may know better. */
    static b(object: any, site: number): void {
      if (typeof object === 'object' && object !== null && !(#born in object))
        Stamp.mark(object, hooks.e, site);
    }

    static mark(object: object, born: number, site: number): void {
      try {
        new Stamp(object, born, site);
      } catch {
        // An object that takes no private fields: frozen, in engines that refuse it then.
        unstampable.set(object, { name: undefined, site, slots: undefined });
      }
    }

    static isYoung(object: object): boolean {
      return #born in object && (object as any).#born === hooks.e;
    }

    static shadowOf(object: any): Shadow {
      if (!(#born in object)) {
        const known = unstampable.get(object);
        if (known) return known;
        Stamp.mark(object, -1, -1);
        if (!(#born in object)) return unstampable.get(object)!;
      }
      const shadow = object.#shadow;
      if (typeof shadow === 'object') return shadow;
      return (object.#shadow = { name: undefined, site: shadow, slots: undefined });
    }

    // copies begin
    static r0(object: any, key: any, site: number): any {
      if (typeof object === 'object') {
        if (object !== null && #born in object && object.#born === hooks.e) return object;
      } else if (typeof object === 'string') return object;
      slow(object, key, site, false);
      return object;
    }

    static w0(object: any, key: any, site: number): any {
      if (typeof object === 'object') {
        if (object !== null && #born in object && object.#born === hooks.e) return object;
      }
      slow(object, key, site, true);
      return object;
    }
    // copies end
  }
  return Stamp;
}

