import { bareArray } from './natives';

const decode = decodeURIComponent;

/** A text that is sent once. After that, a number stands for it. */
export interface Word {
  /** The text as a word of the text notation, once it is needed. */
  word: string | undefined;
  /** Its number on the wire, or 0 before it is sent. Only the wire reads and writes it. */
  number: number;
}

/** What accesses refer to: a location, or an object whose elements are locations. The word is its name. */
export interface Location extends Word {
  /** The object that the location is part of, if the word is only the rest of the name. */
  owner: Location | undefined;
}

/** The text of a value, truncated. An integer of 32 bits stands for its own digits. */
export type Value = number | Word;

/** The interface to the recorder: hooks send accesses and request rewritten code through it. */
export interface Wire {
  /**
   * The number of the current event: a small positive integer that no two events share. The code that
   * changes it must call `Recording.turn` before the next event's first access.
   */
  epoch: number;
  /**
   * Sends one access: the first read or the first write of a location in the current event. The location
   * has a name. If `index` is not negative, the access is one of that element of the object. The value of a
   * write is the one that the location has when the event ends.
   */
  access(write: boolean, location: Location, index: number, value: Value, site: number): void;
  /**
   * Sends that a location had a value, neither `undefined` nor `null`, before its first access. It is sent
   * only if that access is a write: a read carries the value.
   */
  initialised?(location: Location, index: number): void;
  /** Returns the original text of a script by its number in the rewritten code, if it is available. */
  source?(script: number): string | undefined;
  /**
   * Rewrites the code given to a direct or indirect `eval`. Without this function, such code runs unchanged.
   * `isGlobal`: the code declares globals, because the `eval` is indirect or at the top level of a sloppy script.
   */
  rewrite?(source: string, strict: boolean, isGlobal: boolean): string;
}

export interface Access {
  write: boolean;
  name: string;
  value: string;
  site: number;
}

/** The text that a word stands for. */
const read = (word: string): string => (word === '%' ? '' : decode(word));

/** The name of a location, or of an element of an object, as a word. */
export function nameAt({ owner, word }: Location, index: number): string {
  return `${owner ? nameAt(owner, -1) : ''}${word}${index < 0 ? '' : `[${index}]`}`;
}

/** A wire that keeps everything in memory. */
export class MemoryWire implements Wire {
  epoch = 1;
  readonly accesses = bareArray<Access>();
  readonly initial = bareArray<string>();
  readonly sources: string[] = [];

  access(write: boolean, location: Location, index: number, value: Value, site: number): void {
    const text = typeof value === 'number' ? `${value}` : read(value.word!);
    this.accesses[this.accesses.length] = { write, name: read(nameAt(location, index)), value: text, site };
  }

  initialised(location: Location, index: number): void {
    this.initial[this.initial.length] = read(nameAt(location, index));
  }

  source(script: number): string | undefined {
    return this.sources[script];
  }
}
