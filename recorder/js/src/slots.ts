/**
 * The locations in an object: whether the current event has accessed them, and what they are called.
 *
 * Elements of arrays have their events in typed arrays, by index, and other locations in slots, by key.
 * A lookup takes constant time, and a slot keeps its name as a word of the text notation: the same
 * locations are recorded in many events, and escaping a name takes longer than finding it.
 */
import { isArray, isView, newMap, proxies, RealInt32Array } from './natives';
import { nameOf, type Place } from './names';
import type { Shadow, Slot } from './stamp';
import { keyWord, word } from './text';

/** Elements from this index on have slots: an array may have few elements with high indices. */
const MOST_ELEMENTS = 1 << 20;
const FEWEST_ELEMENTS = 16;

/** What was known of a location before an access was noted. */
export type Before = typeof NEVER | typeof EARLIER | typeof REPEATED;
/** No access of it was recorded. */
export const NEVER = 0;
/** An access was recorded, but none of this kind in the current event. */
export const EARLIER = 1;
/** An access of this kind was recorded in the current event. */
export const REPEATED = 2;

/** Notes an access of a location in an event. */
export function note(shadow: Shadow, object: object, key: PropertyKey, write: boolean, event: number): Before {
  if (typeof key === 'number' && (key < shadow.elements || grow(shadow, object, key))) {
    const reads = shadow.reads!;
    const writes = shadow.writes!;
    const events = write ? writes : reads;
    if (events[key] === event) return REPEATED;
    const before = reads[key] === 0 && writes[key] === 0 ? NEVER : EARLIER;
    events[key] = event;
    return before;
  }
  const slot = slotOf(shadow, key);
  if ((write ? slot.write : slot.read) === event) return REPEATED;
  const before = slot.read < 0 && slot.write < 0 ? NEVER : EARLIER;
  if (write) slot.write = event;
  else slot.read = event;
  return before;
}

/** Whether an access of this kind was noted in an event. The key may be in any form. */
export function isNoted(shadow: Shadow, key: unknown, write: boolean, event: number): boolean {
  // An index that is no integer has no element.
  if (typeof key === 'number' && key >= 0 && key < shadow.elements)
    return (write ? shadow.writes : shadow.reads)![key] === event;
  const slot = shadow.slots?.get(key);
  return slot !== undefined && (write ? slot.write : slot.read) === event;
}

/** Makes room for an element of an array. Returns whether the element has its event there. */
function grow(shadow: Shadow, object: object, index: number): boolean {
  if (index >= MOST_ELEMENTS || proxies.has(object) || !(isArray(object) || isView(object))) return false;
  let elements = shadow.elements || FEWEST_ELEMENTS;
  while (elements <= index) elements *= 2;
  shadow.reads = longer(shadow.reads, shadow.elements, elements);
  shadow.writes = longer(shadow.writes, shadow.elements, elements);
  shadow.elements = elements;
  return true;
}

/** A copy of an array of integers with more elements. The program may have replaced its methods. */
export function longer(old: Int32Array | undefined, length: number, wanted: number): Int32Array {
  const copy = new RealInt32Array(wanted);
  if (old) for (let at = 0; at < length; at++) copy[at] = old[at]!;
  return copy;
}

export function newSlot(): Slot {
  return { read: -1, write: -1, last: undefined, word: undefined };
}

export function slotOf(shadow: Shadow, key: unknown): Slot {
  const slots = (shadow.slots ??= newMap<unknown, Slot>());
  let slot = slots.get(key);
  if (!slot) slots.set(key, (slot = newSlot()));
  return slot;
}

/** The name of an object as a word. */
export function wordOf(object: object, shadow: Shadow, place: Place): string {
  return (shadow.word ??= word(nameOf(object, shadow, place)));
}

/** The name of a property's location as a word. */
export function wordAt(object: object, shadow: Shadow, key: PropertyKey, place: Place): string {
  if (typeof key === 'number' && key < shadow.elements) return `${wordOf(object, shadow, place)}[${key}]`;
  const slot = slotOf(shadow, key);
  return (slot.word ??= wordOf(object, shadow, place) + keyWord(key));
}
