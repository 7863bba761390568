/** Words of the text notation (docs/notation.md). */
import { apply, isArray, newMap } from './natives';
import { identify, keyName, kindOf, valueText } from './names';
import type { Value, Word } from './wire';

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

const wordOf = (text: string): Word => ({ word: text, number: 0 });
export const UNDEFINED = wordOf('undefined');
const NULL = wordOf('null');
const TRUE = wordOf('true');
export const FALSE = wordOf('false');
export const UNKNOWN = wordOf('?');
export const ACCESSOR = wordOf('accessor');

/** The words of texts, with as many as are worth their memory. */
class Words {
  private words = newMap<string, Word>();
  private count = 0;

  constructor(private readonly wordFor: (key: string) => string) {}

  of(key: string): Word {
    const known = this.words.get(key);
    if (known !== undefined) return known;
    if (this.count++ === MOST_WORDS) {
      this.words = newMap<string, Word>();
      this.count = 1;
    }
    const made = wordOf(this.wordFor(key));
    this.words.set(key, made);
    return made;
  }
}

const MOST_WORDS = 4096;
/** Longer strings are cut, which takes longer than a lookup saves, and would be kept whole. */
const LONGEST_STRING = 48;

const texts = new Words((text) => word(text));
const strings = new Words((value) => word(valueText(value)));

/** A value whose text (`valueText`) is known. */
export const textValue = (text: string): Value => texts.of(text);

/** The text of a value (`valueText`) as the wire takes it. */
export function valueOf(value: unknown): Value {
  switch (typeof value) {
    case 'undefined':
      return UNDEFINED;
    case 'boolean':
      return value ? TRUE : FALSE;
    case 'number':
      return (value | 0) === value ? value | 0 : textValue(`${value}`);
    case 'object':
    case 'function':
      return value === null ? NULL : objectValue(value);
    case 'string':
      return stringValue(value);
    default:
      return wordOf(word(valueText(value)));
  }
}

function objectValue(object: object): Word {
  const shadow = identify(object);
  const kind = (shadow.kind ??= kindOf(object));
  // The text of an array has its length. No getter runs: what is called an array is no proxy.
  const length = kind === 'Array' && isArray(object) ? object.length : undefined;
  if (shadow.value === undefined || shadow.valueLength !== length) {
    shadow.value = wordOf(word(valueText(object)));
    shadow.valueLength = length;
  }
  return shadow.value;
}

function stringValue(value: string): Word {
  return value.length > LONGEST_STRING ? wordOf(word(valueText(value))) : strings.of(value);
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
