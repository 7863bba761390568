/**
 * Records each location's first read and first write in an event, and sends them to the wire.
 *
 * Recorded accesses wait in a list until the event ends. So the value of a write is the one that the
 * event leaves behind, which is the one that other events can see. A read carries the value that it saw.
 *
 * The hook of an assignment to a property runs before the value is computed, so `o.n = o.n + 1` announces its
 * write first. A read that finds what was there before the write is sent before it.
 */
import {
  bareArray,
  type Found,
  List,
  describe,
  getPrototypeOf,
  hasOwn,
  isArray,
  isData,
  lookup,
  newMap,
  newWeakMap,
  peek,
  proxies,
} from './natives';
import { framed, platformProperties, isUntouched, keyName, numbered, valueText, nameOf, type Place } from './names';
import { ensureNamed, longer, NEVER, newSlot, noteAt, REPEATED, slotAt, slotOf } from './slots';
import { ACCESSOR, keyWord, textValue, UNDEFINED, UNKNOWN, valueOf, word } from './text';
import type { Hooks } from './hooks';
import type { Shadow, Slot } from './stamp';
import type { Location, Value, Wire } from './wire';

/** The number of pending accesses above which they are sent at once, with their values at that time. */
const MOST_PENDING = 4096;

export interface Pending {
  write: boolean;
  /** The location, or the object whose element it is. */
  location: Location;
  /** The index of the element, or -1. */
  index: number;
  site: number;
  /** The value; if undefined, `current` or `holder` and `key` give it when the event ends. */
  value: Value | undefined;
  /** Reads a variable. No code of the program runs. */
  current: Current | undefined;
  holder: object | undefined;
  /** Whether this event has seen the holder first. */
  isNew: boolean;
  key: PropertyKey;
  /** Whether the access is the location's first, a write, and the location had a value before it. */
  had: boolean;
  /** The value of a property before a write of it. */
  before: unknown;
  /** The number of the list of pending accesses that it is in. */
  list: number;
}

/** Reads a variable. It throws if the variable is not initialised yet. */
export type Current = () => unknown;

/** A scope of shared variables. It has only a label until it needs a name. */
export interface Scope {
  label: string;
  name: string | undefined;
  /** The variables of which an access was recorded. */
  accessed: Map<string, Location> | undefined;
}

export interface Stamps {
  isYoung(object: object): boolean;
  shadowOf(object: object): Shadow;
  /** The shadow of an object, if it has been stamped. */
  known(object: object): Shadow | undefined;
  /** Makes room for the sites below a number. */
  grow(sites: number): void;
}

export type Special = (object: object, key: PropertyKey, site: number, write: boolean) => void;

export class AccessRecorder {
  private readonly pending = new List<Pending>();
  /** How often the pending accesses have been sent. */
  private sent = 0;
  private readonly seen = new List<number>();
  /** The object that each site accessed last in this event, and the key. */
  readonly objects = bareArray<unknown>();
  readonly keys = bareArray<unknown>();
  /** The number of sites of the scripts that have begun. */
  private sites = 0;
  private readonly globals = newMap<PropertyKey, Slot>();
  /** The `let`, `const` and `class` declarations of scripts, which are no properties of the global object. */
  private readonly lexicals = newMap<PropertyKey, Current>();
  private readonly logicals = newMap<string, Slot>();
  private readonly files = new List<{ file: string; first: number; births: string }>();
  private readonly places = newMap<number, string>();
  private readonly objectIds = newWeakMap<object, string>();
  private readonly globalName: string;
  /** Functions that record accesses of objects whose properties are not memory, by the objects' prototype. */
  private readonly specials = newWeakMap<object, Special>();
  private specialKinds = 1;
  /** Records a read of a global that is no property of the global object, such as an element's id. */
  elementNamed: (key: PropertyKey, value: unknown, site: number) => boolean = () => false;
  stamps!: Stamps;

  constructor(
    private readonly hooks: Hooks,
    private readonly wire: Wire,
    private readonly global: object,
  ) {
    const constructor = peek(global, 'constructor');
    const name = typeof constructor === 'function' ? describe(constructor, 'name')?.value : '';
    this.globalName = typeof name === 'string' && name && name !== 'Object' ? name : 'Window';
  }

  /** Sets the function that records accesses of the objects that have a prototype. */
  makeSpecial(prototype: object, special: Special): void {
    this.specials.set(prototype, special);
    this.specialKinds++;
  }

  /** The last site that recorded an access. Accesses of built-in functions are attributed to it. */
  get lastSite(): number {
    return this.hooks.at;
  }

  set lastSite(site: number) {
    this.hooks.at = site;
  }

  /** Sends the pending accesses and begins the event that the wire is at. */
  turn(): void {
    this.flush();
    for (let at = 0; at < this.seen.length; at++) {
      this.objects[this.seen.at(at)] = undefined;
      this.keys[this.seen.at(at)] = undefined;
    }
    this.seen.clear();
    this.hooks.e = this.wire.epoch;
    this.hooks.t = undefined;
  }

  flush(): void {
    const { pending } = this;
    for (let at = 0; at < pending.length; at++) {
      const { write, location, index, site, value, current, holder, isNew, key, had } = pending.at(at);
      // Only when its constructor returns may an object turn out to be made in this event.
      if (isNew && this.stamps.isYoung(holder!)) continue;
      if (had) this.wire.initialised?.(location, index);
      const final = value ?? (current ? currentValue(current) : this.valueAt(holder!, key));
      this.wire.access(write, location, index, final, site);
      // What was sent must not keep objects of the program alive.
      const slot = location as Partial<Slot>;
      if (write && slot.last) slot.last = undefined;
    }
    pending.clear();
    this.sent++;
  }

  /** A property's value, or `?` if finding it would run code. */
  private valueAt(holder: object, key: PropertyKey): Value {
    return this.valueIn(lookup(holder, key)?.property, holder, key);
  }

  private valueIn(property: PropertyDescriptor | undefined, holder: object, key: PropertyKey): Value {
    if (property) return isData(property) ? valueOf(property.value) : ACCESSOR;
    const isPrivate = typeof key === 'string' && key[0] === '#';
    return isPrivate || proxies.has(holder) ? UNKNOWN : UNDEFINED;
  }

  private add(
    write: boolean,
    location: Location,
    site: number,
    value: Value | undefined,
    holder?: object,
    key: PropertyKey = '',
    current?: Current,
    had = false,
    index = -1,
    isNew = false,
  ): Pending {
    if (this.pending.length >= MOST_PENDING) this.flush();
    const list = this.sent;
    const access = { write, location, index, site, value, current, holder, isNew, key, had, before: undefined, list };
    this.pending.add(access);
    return access;
  }

  /** Notes the value that a property has before a write of it. */
  private note(slot: Slot | undefined, access: Pending, found: Found | undefined): void {
    if (!slot) return;
    access.before = found && isData(found.property) ? found.property.value : undefined;
    slot.last = access;
  }

  /** Whether a read finds what a property had before the write that this event has announced. */
  private isBefore(slot: Slot | undefined, found: Found | undefined): boolean {
    const last = slot?.write === this.hooks.e ? slot.last : undefined;
    if (!last || last.list !== this.sent || this.pending.length >= MOST_PENDING) return false;
    return last.before === (found && isData(found.property) ? found.property.value : undefined);
  }

  /** Records a read in the place of the announced write, which follows it. */
  private precede(slot: Slot, site: number, value: Value): void {
    const read = slot.last!;
    const { location, current, holder, isNew, key, index, before } = read;
    slot.last = this.add(true, location, read.site, undefined, holder, key, current, false, index, isNew);
    slot.last.before = before;
    read.write = false;
    read.site = site;
    read.value = value;
  }

  /** Whether this event has seen an object first, and did not make it as far as is known. */
  private isNew(shadow: Shadow): boolean {
    return shadow.born === -this.hooks.e;
  }

  /** Marks a slot as accessed, and returns whether the access is the event's first of its kind. */
  private isFirst(slot: Slot, write: boolean): boolean {
    const { e } = this.hooks;
    if ((write ? slot.write : slot.read) === e) return false;
    if (write) slot.write = e;
    else slot.read = e;
    return true;
  }

  /** Records that rewritten code reads a property of any value, writes it, or both. */
  property(object: unknown, key: unknown, site: number, read: boolean, write: boolean): void {
    this.hooks.at = site;
    if (this.objects[site] === object && this.keys[site] === key) return;
    if ((typeof object !== 'object' || object === null) && typeof object !== 'function') return;
    if ((typeof key === 'object' && key !== null) || typeof key === 'function') return;
    if (site >= this.objects.length) this.stamps.grow(site + 1);
    if (this.objects[site] === undefined) this.seen.add(site);
    this.objects[site] = object;
    this.keys[site] = key;
    if (object === this.global) {
      if (read) this.globalAccess(canonical(key), site, false);
      if (write) this.globalAccess(canonical(key), site, true, true);
      return;
    }
    const known = this.stamps.known(object);
    if (known !== undefined && known.born === this.hooks.e) return;
    const shadow = known !== undefined && !known.isShared ? known : this.stamps.shadowOf(object);
    // A key that has a slot is canonical.
    let slot = typeof key === 'string' ? shadow.slots?.get(key) : undefined;
    const property = slot ? (key as string) : canonical(key);
    slot ??= slotAt(shadow, object, property);
    if (read) this.accessIn(object, shadow, slot, property, site, false, false);
    if (write) this.accessIn(object, shadow, slot, property, site, true, false);
  }

  /** Records an access of a property of an object. */
  access(object: object, key: PropertyKey, site: number, write: boolean, written = false): void {
    if (object === this.global) return this.globalAccess(key, site, write, true);
    if (this.stamps.isYoung(object)) return;
    const shadow = this.stamps.shadowOf(object);
    this.accessIn(object, shadow, slotAt(shadow, object, key), key, site, write, written);
  }

  /** Records an access of a property of an object that the current event did not make. */
  private accessIn(
    object: object,
    shadow: Shadow,
    slot: Slot | undefined,
    key: PropertyKey,
    site: number,
    write: boolean,
    written: boolean,
  ): void {
    const before = noteAt(shadow, slot, key, write, this.hooks.e);
    if (before === REPEATED) return;
    const isProxy = proxies.has(object);
    // What the program made is not special.
    if (!isProxy && shadow.site < 0 && shadow.ordinary !== this.specialKinds) {
      const special = this.specials.get(getPrototypeOf(object) ?? object);
      if (special) return special(object, key, site, write);
      shadow.ordinary = this.specialKinds;
    }
    const isPrivate = typeof key === 'string' && key[0] === '#';
    const found = isPrivate ? undefined : lookup(object, key);
    const inherited = found && found.holder !== object;
    // What the program made did not come with the platform.
    const mayBePlatform = inherited || shadow.site < 0;
    if (found && mayBePlatform && (!write || !isData(found.property))) {
      const ofPlatform = inherited
        ? platformProperties(found.holder)
        : (shadow.platform ??= platformProperties(object));
      if (ofPlatform.has(key)) return;
    }
    const accessor = found && !isData(found.property);
    // A write runs an inherited accessor, but shadows an inherited data property.
    if (found && inherited && (accessor || !write)) return this.inherited(found, key, site);
    if (write && typeof key === 'number' && !isProxy && isArray(object) && key >= object.length)
      this.access(object, 'length', site, true);
    const had = before === NEVER && write && !written && !inherited && isSomething(found);
    const value = write ? undefined : this.valueIn(found?.property, object, key);
    if (value !== undefined && this.isBefore(slot, found)) return this.precede(slot!, site, value);
    const added = this.addProperty(write, object, shadow, slot, key, site, value, had);
    if (write) this.note(slot, added, found);
  }

  /** Records an access of a location that is no property: part of a document, a timer, stored data. */
  logical(name: string, write: boolean, value: string, site = this.lastSite): void {
    let slot = this.logicals.get(name);
    if (!slot) this.logicals.set(name, (slot = newSlot()));
    if (this.isFirst(slot, write)) {
      slot.word ??= word(name);
      const access = this.add(write, slot, site, textValue(value));
      if (write) slot.last = access;
    } else if (write && slot.last) slot.last.value = textValue(value);
  }

  /** Records a read of all elements of an array, and of its length. */
  sweep(array: unknown[], site: number): void {
    const shadow = this.stamps.shadowOf(array);
    const { length } = array;
    if (shadow.swept === this.hooks.e && shadow.sweptLength === length) return;
    shadow.swept = this.hooks.e;
    shadow.sweptLength = length;
    this.accessIn(array, shadow, slotAt(shadow, array, 'length'), 'length', site, false, false);
    for (let index = 0; index < length; index++)
      this.accessIn(array, shadow, slotAt(shadow, array, index), index, site, false, false);
  }

  /** Records a read of a property in the prototype that has it. */
  private inherited({ holder, property }: Found, key: PropertyKey, site: number): void {
    if (holder === this.global) return this.globalAccess(key, site, false);
    if (this.stamps.isYoung(holder)) return;
    const shadow = this.stamps.shadowOf(holder);
    const slot = slotAt(shadow, holder, key);
    if (noteAt(shadow, slot, key, false, this.hooks.e) === REPEATED) return;
    this.addProperty(false, holder, shadow, slot, key, site, this.valueIn(property, holder, key), false);
  }

  private addProperty(
    write: boolean,
    object: object,
    shadow: Shadow,
    slot: Slot | undefined,
    key: PropertyKey,
    site: number,
    value: Value | undefined,
    had: boolean,
  ): Pending {
    ensureNamed(object, shadow, this.place);
    if (slot && slot.word === undefined) {
      slot.owner = shadow;
      slot.word = keyWord(key);
    }
    const index = slot ? -1 : (key as number);
    return this.add(write, slot ?? shadow, site, value, object, key, undefined, had, index, this.isNew(shadow));
  }

  /** Notes a `let`, `const` or `class` of a script. */
  lexical(name: string, current: Current): void {
    this.lexicals.set(name, current);
  }

  /** Records an access by name of a global variable. */
  named(name: string, site: number, write: boolean): void {
    const key = canonical(name);
    const current = this.lexicals.get(key);
    if (!current) return this.globalAccess(key, site, write);
    const slot = this.globalSlot(key);
    if (!this.isFirst(slot, write)) return;
    const value = write ? undefined : currentValue(current);
    this.add(write, slot, site, value, undefined, key, current);
  }

  private globalSlot(key: PropertyKey): Slot {
    let slot = this.globals.get(key);
    if (!slot) {
      this.globals.set(key, (slot = newSlot()));
      slot.word = word(framed(this.globalName + keyName(key)));
    }
    return slot;
  }

  /** Records an access of a property of the global object. `announced` says whether a write is still to come. */
  globalAccess(key: PropertyKey, site: number, write: boolean, announced = false): void {
    const slot = this.globalSlot(key);
    if (!this.isFirst(slot, write) || isUntouched(this.global, key)) return;
    if (!write && !hasOwn(this.global, key) && this.elementNamed(key, peek(this.global, key), site)) return;
    const found = lookup(this.global, key);
    const value = write ? undefined : this.valueIn(found?.property, this.global, key);
    if (value !== undefined && this.isBefore(slot, found)) return this.precede(slot, site, value);
    const added = this.add(write, slot, site, value, this.global, key);
    if (write && announced) this.note(slot, added, found);
  }

  /** Records the first write of a global in this event. */
  globalWrite(key: string, site: number, value: unknown): void {
    if (this.lexicals.has(key)) return this.named(key, site, true);
    const slot = this.globalSlot(key);
    if (!this.isFirst(slot, true)) return;
    const known = lookup(this.global, key);
    this.add(true, slot, site, known ? undefined : valueOf(value), this.global, key);
  }

  /** Records a read of a shared variable. */
  variableRead(scope: Scope, name: string, site: number, value: unknown): void {
    this.hooks.at = site;
    this.add(false, variable(scope, name), site, valueOf(value));
  }

  /** Records a write of a shared variable. `had` says whether the event that made it left a value in it. */
  variableWrite(scope: Scope, name: string, site: number, current: Current, had: boolean): void {
    this.hooks.at = site;
    const first = !scope.accessed?.has(name);
    this.add(true, variable(scope, name), site, undefined, undefined, '', current, had && first);
  }

  /**
   * Records an access of an entry of a collection. `had` says whether the entry existed before a write.
   */
  entry(collection: object, key: unknown, write: boolean, value: Value, had = false): void {
    if (this.stamps.isYoung(collection)) return;
    const shadow = this.stamps.shadowOf(collection);
    const label = this.entryLabel(key);
    const slot = slotOf(shadow, label);
    const first = slot.read < 0 && slot.write < 0;
    if (this.isFirst(slot, write)) {
      this.namePart(collection, shadow, slot, label);
      const isNew = this.isNew(shadow);
      const access = this.add(write, slot, this.lastSite, value, collection, '', undefined, had && first, -1, isNew);
      if (write) slot.last = access;
    } else if (write && slot.last) slot.last.value = value;
  }

  size(collection: object, write: boolean, value: number): void {
    if (this.stamps.isYoung(collection)) return;
    const shadow = this.stamps.shadowOf(collection);
    // The slot of the property `size` does not serve: reading that property led here.
    const slot = slotOf(shadow, '[size]');
    if (this.isFirst(slot, write)) {
      this.namePart(collection, shadow, slot, '.size');
      const isNew = this.isNew(shadow);
      const access = this.add(write, slot, this.lastSite, value, collection, '', undefined, false, -1, isNew);
      if (write) slot.last = access;
    } else if (write && slot.last) slot.last.value = value;
  }

  /** Names a location that is part of a collection. */
  private namePart(collection: object, shadow: Shadow, slot: Slot, label: string): void {
    if (slot.word !== undefined) return;
    ensureNamed(collection, shadow, this.place);
    slot.owner = shadow;
    slot.word = word(label);
  }

  private entryLabel(key: unknown): string {
    if ((typeof key !== 'object' || key === null) && typeof key !== 'function') return `[${valueText(key)}]`;
    let id = this.objectIds.get(key);
    if (!id) {
      id = nameOf(key, this.stamps.shadowOf(key), this.place);
      this.objectIds.set(key, id);
    }
    return `[${id}]`;
  }

  /** Whether accesses wait to be sent. */
  get waits(): boolean {
    return this.pending.length > 0;
  }

  /** Records that a script begins. `births` has the lines of its sites that make objects, as differences. */
  script(file: string, first: number, sites: number, births: string): void {
    this.files.add({ file, first, births });
    if (first + sites <= this.sites) return;
    const before = this.sites;
    this.sites = first + sites + 1024;
    this.stamps.grow(this.sites);
    this.hooks.g = longer(this.hooks.g, before, this.sites);
  }

  readonly place: Place = (site) => {
    for (let at = 0; at < this.files.length; at++) {
      const script = this.files.at(at);
      if (script.births) {
        this.readBirths(script.file, script.first, script.births);
        script.births = '';
      }
    }
    return this.places.get(site);
  };

  private readBirths(file: string, first: number, births: string): void {
    let number = '';
    let site = first;
    let line = 0;
    let isLine = false;
    for (let at = 0; at <= births.length; at++) {
      const char = births[at];
      if (char !== ',' && char !== undefined) {
        number += char;
        continue;
      }
      if (isLine) {
        line += +number;
        this.places.set(site, `${file}:${line}`);
      } else site += +number;
      isLine = !isLine;
      number = '';
    }
  }
}

/** The value of a variable, or `?` before the variable is initialised. */
function currentValue(current: Current): Value {
  let value: unknown;
  try {
    value = current();
  } catch {
    return UNKNOWN;
  }
  return valueOf(value);
}

/** Whether a property holds something other than `undefined` and `null`, or may do so. */
function isSomething(found: Found | undefined): boolean {
  if (!found) return false;
  if (!isData(found.property)) return true;
  const { value } = found.property;
  return value !== undefined && value !== null;
}

/** The location of a variable. */
function variable(scope: Scope, name: string): Location {
  const accessed = (scope.accessed ??= newMap<string, Location>());
  let known = accessed.get(name);
  if (!known) {
    known = { owner: undefined, word: word(`${(scope.name ??= numbered(scope.label))}.${name}`), number: 0 };
    accessed.set(name, known);
  }
  return known;
}

/** The canonical form of a key: an array index as a number, a symbol unchanged, all else as text. */
export function canonical(key: unknown): PropertyKey {
  if (typeof key === 'symbol') return key;
  if (typeof key === 'number') return key >= 0 && key === key >>> 0 ? key : `${key}`;
  const text = `${key as string}`;
  if (text.length > 10 || text === '') return text;
  const index = +text;
  return index >= 0 && index === index >>> 0 && `${index}` === text ? index : text;
}
