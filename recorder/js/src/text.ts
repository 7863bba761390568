/** Words of the text notation (docs/notation.md). */
import { apply, newMap } from './natives';
import { identify, keyName, valueText } from './names';

const { exec } = RegExp.prototype;
const { charCodeAt } = String.prototype;
const plain = /^[!"$&-<>-~]+$/;
const digits = '0123456789ABCDEF';

const escaped = (byte: number): string => `%${digits[byte >> 4]}${digits[byte & 15]}`;

const { encodeURIComponent } = globalThis;

const keyWords = newMap<PropertyKey, string>();

/** The text of a key in a location's name as a part of a word. */
export function keyWord(key: PropertyKey): string {
  let known = keyWords.get(key);
  if (known === undefined) keyWords.set(key, (known = word(keyName(key))));
  return known;
}

/** The words of strings, with as many as are worth their memory. */
let strings = newMap<string, string>();
let stringCount = 0;
const MOST_STRINGS = 4096;
/** Longer strings are cut, which takes longer than a lookup saves, and would be kept whole. */
const LONGEST_STRING = 48;

/** The text of a value (`valueText`) as a word. */
export function valueWord(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'undefined';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return `${value}`;
    case 'object':
    case 'function':
      return value === null ? 'null' : objectWord(value);
    case 'string':
      return stringWord(value);
    default:
      return word(valueText(value));
  }
}

function objectWord(object: object): string {
  const shadow = identify(object);
  if (shadow.value !== undefined) return shadow.value;
  const known = word(valueText(object));
  if (shadow.kind !== 'Array') shadow.value = known;
  return known;
}

function stringWord(value: string): string {
  if (value.length > LONGEST_STRING) return word(valueText(value));
  let known = strings.get(value);
  if (known !== undefined) return known;
  if (stringCount++ === MOST_STRINGS) {
    strings = newMap<string, string>();
    stringCount = 1;
  }
  strings.set(value, (known = word(valueText(value))));
  return known;
}

/** A name or value as one word. */
export function word(text: string): string {
  if (text === '') return '%';
  if (apply(exec, plain, [text])) return text;
  try {
    return encodeURIComponent(text);
  } catch {
    // A half of a surrogate pair.
    return escape(text);
  }
}

function escape(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    let code = apply(charCodeAt, text, [at]) as number;
    if (code > 0x20 && code < 0x7f && code !== 0x23 && code !== 0x25 && code !== 0x3d) {
      out += text[at];
      continue;
    }
    if (code >= 0xd800 && code < 0xe000) {
      const low = apply(charCodeAt, text, [at + 1]) as number;
      if (code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at++;
      } else code = 0xfffd;
    }
    out += utf8(code);
  }
  return out;
}

function utf8(code: number): string {
  if (code < 0x80) return escaped(code);
  const last = escaped(0x80 | (code & 63));
  if (code < 0x800) return escaped(0xc0 | (code >> 6)) + last;
  const third = escaped(0x80 | ((code >> 6) & 63));
  if (code < 0x10000) return escaped(0xe0 | (code >> 12)) + third + last;
  return escaped(0xf0 | (code >> 18)) + escaped(0x80 | ((code >> 12) & 63)) + third + last;
}
