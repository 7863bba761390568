import { bareArray } from './natives';

const decode = decodeURIComponent;

/** The interface to the recorder: hooks send accesses and request rewritten code through it. */
export interface Wire {
  /**
   * The number of the current event: a small positive integer that no two events share. The code that
   * changes it must call `Recording.turn` before the next event's first access.
   */
  epoch: number;
  /**
   * Sends one access: the first read or the first write of a location in the current event. Values are
   * truncated. The name is a word of the text notation. The value of a write is the one that the location has when the event ends.
   */
  access(write: boolean, name: string, value: string, site: number): void;
  /**
   * Sends that a location had a value, neither `undefined` nor `null`, before its first access. It is sent
   * only if that access is a write: a read carries the value.
   */
  initialised?(name: string): void;
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

/** A wire that keeps everything in memory. */
export class MemoryWire implements Wire {
  epoch = 1;
  readonly accesses = bareArray<Access>();
  readonly initial = bareArray<string>();
  readonly sources: string[] = [];

  access(write: boolean, name: string, value: string, site: number): void {
    this.accesses[this.accesses.length] = { write, name: decode(name), value, site };
  }

  initialised(name: string): void {
    this.initial[this.initial.length] = decode(name);
  }

  source(script: number): string | undefined {
    return this.sources[script];
  }
}
