import { bareArray } from './natives';

/** Where the hooks send what they see, and where they ask. */
export interface Wire {
  /**
   * The number of the current event: a small positive integer that no two events share. Whoever
   * changes it calls `Recording.turn` right before the next event's first access.
   */
  epoch: number;
  /**
   * One access: the first read or the first write of a location in the current event. Values are
   * shortened; a written value is the one the location has when the event ends.
   */
  access(write: boolean, name: string, value: string, site: number): void;
  /** The original text of a script, by the number it was rewritten under, if it is at hand. */
  source?(script: number): string | undefined;
  /** Rewrites code about to be evaluated by a direct `eval`; without it such code runs as it is. */
  rewrite?(source: string, strict: boolean): string;
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
  readonly sources: string[] = [];

  access(write: boolean, name: string, value: string, site: number): void {
    this.accesses[this.accesses.length] = { write, name, value, site };
  }

  source(script: number): string | undefined {
    return this.sources[script];
  }
}
