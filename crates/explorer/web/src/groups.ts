// The ranked groups of a run, in columns: what a list shows of each, and which of them have a property.
import { NONE, type Texts } from './columns';

/** The facets by which the list can be narrowed. */
export const FACETS = ['class', 'label', 'hint', 'file'] as const;
export type Facet = (typeof FACETS)[number];

/** Which groups a list shows: those to read, those set aside, or all. */
export type Which = 'read' | 'aside' | 'all';

export interface Group {
  id: number;
  race: number;
  fingerprint: string;
  nth: number;
  title: string;
  location: string;
  class: string;
  labels: string[];
  hints: string[];
  standing: string;
  harmful: boolean;
  replay: [string, string | null] | null;
  excuse: string | null;
  baseline: string | null;
  files: string[];
  races: number;
  covers: string[];
}

/** The table of groups, as crate explorer writes it. */
export interface GroupTable {
  strings: string[];
  lists: number[][];
  id: Uint32Array;
  race: Uint32Array;
  nth: Uint32Array;
  races: Uint32Array;
  harmful: Uint32Array;
  class: Uint32Array;
  standing: Uint32Array;
  excuse: Uint32Array;
  baseline: Uint32Array;
  verdict: Uint32Array;
  kind: Uint32Array;
  labels: Uint32Array;
  hints: Uint32Array;
  files: Uint32Array;
  covers: Uint32Array;
  fingerprint: Texts;
  title: Texts;
  location: Texts;
}

const LISTS = { label: 'labels', hint: 'hints', file: 'files' } as const;

/** The name of the file of a position. */
const fileOf = (position: string) => position.replace(/:\d+$/, '');

export class Groups {
  readonly length: number;
  /** How many groups are open. */
  readonly open: number;
  private readonly isOpen: Uint8Array;
  private readonly choices = new Map<Facet, string[]>();

  constructor(private readonly table: GroupTable) {
    this.length = table.id.length;
    const open = table.strings.indexOf('open');
    this.isOpen = Uint8Array.from(table.standing, (standing) => Number(standing === open));
    this.open = this.isOpen.reduce((sum, one) => sum + one, 0);
  }

  private strings(list: number): string[] {
    return this.table.lists[list]!.map((i) => this.table.strings[i]!);
  }

  private string(number: number): string | null {
    return number === NONE ? null : this.table.strings[number]!;
  }

  /** The group at a place of the list of all. */
  at(i: number): Group {
    const table = this.table;
    const verdict = this.string(table.verdict[i]!);
    return {
      id: table.id[i]!,
      race: table.race[i]!,
      fingerprint: table.fingerprint.at(i),
      nth: table.nth[i]!,
      title: table.title.at(i),
      location: table.location.at(i),
      class: this.string(table.class[i]!) ?? '',
      labels: this.strings(table.labels[i]!),
      hints: this.strings(table.hints[i]!),
      standing: this.string(table.standing[i]!) ?? '',
      harmful: table.harmful[i] === 1,
      replay: verdict === null ? null : [verdict, this.string(table.kind[i]!)],
      excuse: this.string(table.excuse[i]!),
      baseline: this.string(table.baseline[i]!),
      files: this.strings(table.files[i]!),
      races: table.races[i]!,
      covers: this.strings(table.covers[i]!),
    };
  }

  /** Returns the place of a race that leads a group, or -1. */
  find(fingerprint: string, nth: number): number {
    const { fingerprint: texts, nth: numbers } = this.table;
    const bytes = new TextEncoder().encode(fingerprint);
    for (let i = 0; i < this.length; i++) if (numbers[i] === nth && texts.is(i, bytes)) return i;
    return -1;
  }

  /** Returns the place of a group, or -1. */
  withId(id: number): number {
    return this.table.id.indexOf(id);
  }

  /** For each number in the column of a facet, whether the value is among what it stands for. */
  private holders(facet: Facet, value: string): Uint8Array {
    const { strings, lists } = this.table;
    if (facet === 'class') return Uint8Array.from(strings, (string) => Number(string === value));
    const name = facet === 'file' ? fileOf : (text: string) => text;
    const wanted = strings.map((string) => name(string) === value);
    return Uint8Array.from(lists, (list) => Number(list.some((i) => wanted[i])));
  }

  /** Returns the places of the groups that a list shows, in the order of reading. */
  listed(which: Which, facets: [Facet, string][]): Uint32Array {
    const filters = facets.map(([facet, value]): [Uint32Array, Uint8Array] => [
      facet === 'class' ? this.table.class : this.table[LISTS[facet]],
      this.holders(facet, value),
    ]);
    const wanted = which === 'read' ? 1 : 0;
    const found = new Uint32Array(this.length);
    let count = 0;
    for (let i = 0; i < this.length; i++) {
      if (which !== 'all' && this.isOpen[i] !== wanted) continue;
      if (filters.every(([column, holds]) => holds[column[i]!] === 1)) found[count++] = i;
    }
    return found.subarray(0, count);
  }

  /** Returns the values of a facet that some group has. */
  values(facet: Facet): string[] {
    let known = this.choices.get(facet);
    if (!known) {
      const { strings, lists } = this.table;
      const column = facet === 'class' ? this.table.class : this.table[LISTS[facet]];
      const used = [...new Set(column)];
      const numbers = facet === 'class' ? used : [...new Set(used.flatMap((list) => lists[list]!))];
      const names = numbers.map((i) => (facet === 'file' ? fileOf(strings[i]!) : strings[i]!));
      known = [...new Set(names)].sort();
      this.choices.set(facet, known);
    }
    return known;
  }

  /** Returns the first places whose group matches in its location, title, fingerprint or files. */
  search(query: string, most: number): number[] {
    const found: number[] = [];
    const { location, title, fingerprint, strings, lists, files } = this.table;
    const inFile = strings.map((string) => string.toLowerCase().includes(query));
    const inFiles = lists.map((list) => list.some((i) => inFile[i]));
    const matches = (text: string) => text.toLowerCase().includes(query);
    for (let i = 0; i < this.length && found.length < most; i++)
      if (inFiles[files[i]!] || matches(location.at(i)) || matches(title.at(i)) || fingerprint.at(i).startsWith(query))
        found.push(i);
    return found;
  }
}
