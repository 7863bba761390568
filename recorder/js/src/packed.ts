/**
 * Accesses as short ASCII text (docs/recording-web-runtime.md, "Accesses by number").
 *
 * An access is a digit of six bits that says what follows, and up to four numbers. A number is a sequence of
 * digits of five bits, the lowest first. Locations and sites are differences to those of the access before.
 * The text is written into an array of bytes and converted at once, because building it from strings takes
 * several times as long.
 */
import { RealUint8Array } from './natives';

/** The first digit of the last five bits of a number. */
const LAST = 0x30;
/** The first digit of other five bits of a number. */
const MORE = 0x50;
/** The most bytes of an access: its first digit, and four numbers of seven digits. */
const LONGEST = 29;
const SIZE = 1 << 15;

/** The bits of the first digit. */
const WRITE = 1;
const INDEXED = 2;
const SITED = 4;
const INTEGER = 8;

export class Packed {
  private readonly bytes = new RealUint8Array(SIZE);
  private length = 0;
  private location = 0;
  private site = 0;

  /** Converts the first bytes of an array to text. */
  constructor(private readonly textOf: (bytes: Uint8Array, length: number) => string) {}

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get isFull(): boolean {
    return this.length > SIZE - LONGEST;
  }

  /** Adds an access. `index` and `site` may be negative for none. The value is an integer or a number. */
  add(write: boolean, location: number, index: number, site: number, isInteger: boolean, value: number): void {
    this.bytes[this.length++] =
      LAST + (write ? WRITE : 0) + (index < 0 ? 0 : INDEXED) + (site < 0 ? 0 : SITED) + (isInteger ? INTEGER : 0);
    this.signed(location - this.location);
    this.location = location;
    if (index >= 0) this.number(index);
    if (site >= 0) {
      this.signed(site - this.site);
      this.site = site;
    }
    if (isInteger) this.signed(value);
    else this.number(value);
  }

  /** Returns the text of the accesses since the last call. */
  take(): string {
    const text = this.textOf(this.bytes, this.length);
    this.length = this.location = this.site = 0;
    return text;
  }

  /** Adds a number that may be negative: its lowest bit is its sign. */
  private signed(value: number): void {
    this.number(((value << 1) ^ (value >> 31)) >>> 0);
  }

  private number(value: number): void {
    const { bytes } = this;
    let { length } = this;
    while (value >= 32) {
      bytes[length++] = MORE + (value & 31);
      value >>>= 5;
    }
    bytes[length++] = LAST + value;
    this.length = length;
  }
}
