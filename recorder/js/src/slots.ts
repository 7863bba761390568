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
import { word } from './text';

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

/** The slot of a property, or none if it is an element whose events are in the typed arrays. */
export function slotAt(shadow: Shadow, object: object, key: PropertyKey): Slot | undefined {
  const isElement = typeof key === 'number' && (key < shadow.elements || grow(shadow, object, key));
  return isElement ? undefined : slotOf(shadow, key);
}

/** Notes an access of a property in an event. The slot is the one that `slotAt` returns. */
export function noteAt(
  shadow: Shadow,
  slot: Slot | undefined,
  key: PropertyKey,
  write: boolean,
  event: number,
): Before {
  return slot ? noteSlot(slot, write, event) : noteElement(shadow, key as number, write, event);
}

function noteElement(shadow: Shadow, index: number, write: boolean, event: number): Before {
  const reads = shadow.reads!;
  const writes = shadow.writes!;
  const events = write ? writes : reads;
  if (events[index] === event) return REPEATED;
  const before = reads[index] === 0 && writes[index] === 0 ? NEVER : EARLIER;
  events[index] = event;
  return before;
}

function noteSlot(slot: Slot, write: boolean, event: number): Before {
  if ((write ? slot.write : slot.read) === event) return REPEATED;
  const before = slot.read < 0 && slot.write < 0 ? NEVER : EARLIER;
  if (write) slot.write = event;
  else slot.read = event;
  return before;
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
  return { read: -1, write: -1, last: undefined, owner: undefined, word: undefined, number: 0 };
}

export function slotOf(shadow: Shadow, key: unknown): Slot {
  const slots = (shadow.slots ??= newMap<unknown, Slot>());
  let slot = slots.get(key);
  if (!slot) slots.set(key, (slot = newSlot()));
  return slot;
}

/** Gives an object a name, if it has none. */
export function ensureNamed(object: object, shadow: Shadow, place: Place): void {
  shadow.word ??= word(nameOf(object, shadow, place));
}
