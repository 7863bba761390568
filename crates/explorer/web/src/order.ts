// The order of operations without a server: steps whose closure is happens-before, searched.
//
// Vertices are events or operations by their places: the position in the order of begins, or in the trace. Every step
// leads to a later place, so a search for what comes before looks only at places between the two. A search costs the
// steps between two places at worst, for common ancestors those down to the last one.
import type { Events, RailsView, Row } from './api';
import { NONE } from './columns';

/** The order of a run in columns, as crate explorer writes it. */
export interface OrderTable {
  operations: number;
  /** Whether the steps lead between events, and not between operations. */
  of_events?: boolean;
  within_events?: boolean;
  /** The names of rules, and whether successive steps by one of them are one step. */
  rules?: [string, boolean][];
  from?: Uint32Array;
  to?: Uint32Array;
  rule?: Uint32Array;
  /** The relation itself, row by row, if it has no steps. */
  matrix?: Uint32Array;
  /** The numbers of the operations, if the trace is an excerpt. */
  number?: Uint32Array;
  /** The events of runs of operations: the first number of a run, and its event. */
  run: Uint32Array;
  event: Uint32Array;
  nouns: string[];
}

/** A step from one operation to a later one. */
interface Step {
  from: number;
  to: number;
  rule: string;
  merges: boolean;
}

/** Returns the position of the last element that is not greater. */
function lastUpTo(sorted: Uint32Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Places of which the last is taken first. */
class LastFirst {
  private readonly heap: number[] = [];

  get length(): number {
    return this.heap.length;
  }

  push(place: number): void {
    const { heap } = this;
    let at = heap.push(place) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]! >= heap[at]!) break;
      [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
      at = parent;
    }
  }

  pop(): number {
    const { heap } = this;
    const [top, last] = [heap[0]!, heap.pop()!];
    if (heap.length === 0) return top;
    heap[0] = last;
    for (let at = 0; ; ) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && heap[child + 1]! > heap[child]!) child++;
      if (child >= heap.length || heap[child]! <= heap[at]!) return top;
      [heap[child], heap[at]] = [heap[at]!, heap[child]!];
      at = child;
    }
  }
}

export class Order {
  /** The place of each event; of operations the place is the position. */
  private readonly placeOf: Uint32Array;
  /** Where the steps into each place begin; one more at the end. The steps are sorted by the places of their targets. */
  private readonly starts: Uint32Array;
  private readonly sources: Uint32Array;

  constructor(
    private readonly table: OrderTable,
    private readonly events: Events,
  ) {
    const { from, to, of_events, operations } = table;
    const count = of_events ? events.event.length : operations;
    const highest = events.event.reduce((most, event) => Math.max(most, event), -1);
    this.placeOf = new Uint32Array(highest + 1).fill(NONE);
    events.event.forEach((event, place) => {
      this.placeOf[event] = place;
    });
    const place = (vertex: number) => (of_events ? this.placeOf[vertex]! : vertex);
    this.starts = new Uint32Array(count + 1);
    this.sources = new Uint32Array(from?.length ?? 0);
    for (let i = 0; i < this.sources.length; i++) {
      this.sources[i] = place(from![i]!);
      this.starts[place(to![i]!) + 1]!++;
    }
    for (let i = 0; i < count; i++) this.starts[i + 1]! += this.starts[i]!;
  }

  /** Returns the position of an operation, or -1 if the file does not have it. */
  private position(op: number): number {
    const { number, operations } = this.table;
    if (!number) return op >= 0 && op < operations ? op : -1;
    const at = lastUpTo(number, op);
    return number[at] === op ? at : -1;
  }

  private numbered(position: number): number {
    return this.table.number?.[position] ?? position;
  }

  has(op: number): boolean {
    return Number.isInteger(op) && this.position(op) >= 0;
  }

  /** Returns the event of an operation, or none. */
  eventOf(op: number): number | null {
    const event = this.table.event[lastUpTo(this.table.run, op)];
    return event === undefined || event === NONE ? null : event;
  }

  /** Returns the place of the vertex that an operation belongs to, or -1. */
  private vertex(op: number): number {
    if (!this.table.of_events) return this.position(op);
    const event = this.eventOf(op);
    return event === null ? -1 : this.placeOf[event]!;
  }

  /** Returns the steps out of places on shortest ways from one place to a later one: empty if there is no way. */
  private ways(start: number, end: number): Map<number, number> {
    const next = new Map<number, number>();
    const queue = [end];
    for (const at of queue) {
      if (at === start) return next;
      for (let step = this.starts[at]!; step < this.starts[at + 1]!; step++) {
        const source = this.sources[step]!;
        if (source < start || next.has(source)) continue;
        next.set(source, step);
        queue.push(source);
      }
    }
    return new Map();
  }

  /** Whether one place leads to another. */
  private leads(start: number, end: number): boolean {
    if (start >= end) return false;
    const seen = new Set([end]);
    const open = [end];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (let step = this.starts[at]!; step < this.starts[at + 1]!; step++) {
        const source = this.sources[step]!;
        if (source === start) return true;
        if (source < start || seen.has(source)) continue;
        seen.add(source);
        open.push(source);
      }
    return false;
  }

  /** Whether one operation happens before another. */
  before(a: number, b: number): boolean {
    if (a === b) return false;
    const { matrix, operations, of_events } = this.table;
    if (matrix) {
      const bit = this.position(a) * operations + this.position(b);
      return ((matrix[bit >> 5]! >>> (bit & 31)) & 1) === 1;
    }
    const [t, u] = [this.vertex(a), this.vertex(b)];
    if (!of_events) return this.leads(t, u);
    if (t < 0 || u < 0 || a > b) return false;
    return t === u ? this.table.within_events === true : this.leads(t, u);
  }

  relation(a: number, b: number): RailsView['relation'] {
    if (a === b) return 'same';
    if (this.before(a, b)) return 'before';
    return this.before(b, a) ? 'after' : 'unordered';
  }

  /** The steps from one operation to another that it happens before. */
  private path(a: number, b: number): Step[] {
    const { of_events, rules, rule, matrix } = this.table;
    if (matrix) return [{ from: a, to: b, rule: '', merges: false }];
    const steps: Step[] = [];
    const [start, end] = [this.vertex(a), this.vertex(b)];
    const ways = start === end ? new Map<number, number>() : this.ways(start, end);
    let at = a;
    for (let vertex = start; vertex !== end; ) {
      const step = ways.get(vertex)!;
      vertex = lastUpTo(this.starts, step);
      const [name, merges] = rules![rule![step]!]!;
      const place = of_events ? this.events.begin[vertex]! : this.numbered(vertex);
      // An event that another one starts may begin before the operation asked about.
      if (place <= at) continue;
      const last = steps.at(-1);
      if (last?.rule === name && merges) last.to = place;
      else steps.push({ from: at, to: place, rule: name, merges });
      at = place;
    }
    if (at !== b) steps.push({ from: at, to: b, rule: 'EVENT-ORDER', merges: true });
    return steps;
  }

  /** The last places that lead to both, searched from the later places down until only common ones are left. */
  private common(a: number, b: number): number[] {
    const [FIRST, SECOND, STALE] = [1, 2, 4];
    const marks = new Map<number, number>();
    const open = new LastFirst();
    let live = 0;
    const mark = (place: number, bits: number) => {
      const known = marks.get(place) ?? 0;
      if ((known | bits) === known) return;
      if (known === 0) open.push(place);
      if (known === 0 && !(bits & STALE)) live++;
      else if (known !== 0 && !(known & STALE) && bits & STALE) live--;
      marks.set(place, known | bits);
    };
    mark(a, FIRST);
    mark(b, SECOND);
    const last: number[] = [];
    while (open.length > 0 && live > 0) {
      const at = open.pop();
      let bits = marks.get(at)!;
      if (!(bits & STALE)) live--;
      if ((bits & (FIRST | SECOND)) === (FIRST | SECOND)) {
        if (!(bits & STALE)) last.push(at);
        bits |= STALE;
      }
      for (let step = this.starts[at]!; step < this.starts[at + 1]!; step++) mark(this.sources[step]!, bits);
    }
    return last;
  }

  /** The last operations that happen before both. */
  private ancestors(a: number, b: number): number[] {
    const { of_events, matrix, operations } = this.table;
    if (matrix) {
      const all = Array.from({ length: operations }, (_, i) => this.numbered(i));
      const both = all.filter((op) => this.before(op, a) && this.before(op, b));
      return both.filter((op) => !both.some((other) => this.before(op, other)));
    }
    const [of_a, of_b] = [this.vertex(a), this.vertex(b)];
    if (of_a < 0 || of_b < 0) return [];
    const limit = Math.min(a, b);
    const last = (place: number) => {
      const { run, event: events } = this.table;
      const event = this.events.event[place]!;
      const end = Math.min(limit, this.events.end[place]! + 1);
      for (let i = lastUpTo(run, end - 1); i >= 0; i--)
        if (events[i] === event) return Math.min(end, run[i + 1] ?? end) - 1;
      return this.events.begin[place]!;
    };
    const places = this.common(of_a, of_b);
    return places.map((place) => (of_events ? last(place) : this.numbered(place))).sort((x, y) => x - y);
  }

  private noun(event: number): string {
    const known = this.table.nouns[event];
    if (known !== undefined) return known;
    const { names, types, name, type } = this.events;
    const place = this.placeOf[event]!;
    const kind = types[type[place]!];
    return `${kind === undefined ? 'event' : kind} \`${names.at(name[place]!)}\``;
  }

  /** Returns the rails of two operations, as the server does. */
  rails(a: number, b: number, line: (op: number) => string): RailsView {
    const relation = this.relation(a, b);
    const row = (op: number, rail: Row['rail'], rule: string | null): Row => {
      const event = this.eventOf(op);
      const text = event === null ? 'outside events' : this.noun(event);
      return { op, event, text, line: line(op), rail, rule };
    };
    const steps = (from: number, to: number, rail: 1 | 2) =>
      this.path(from, to).map((step) => row(step.to, rail, step.rule || null));
    let rows: Row[];
    let others = 0;
    if (relation === 'same') rows = [row(a, 1, null)];
    else if (relation === 'before') rows = [row(a, 1, null), ...steps(a, b, 1)];
    else if (relation === 'after') rows = [row(b, 2, null), ...steps(b, a, 2)];
    else {
      const ancestors = this.ancestors(a, b);
      const fork = ancestors.at(-1);
      others = Math.max(0, ancestors.length - 1);
      rows =
        fork === undefined
          ? [row(a, 1, null), row(b, 2, null)]
          : [row(fork, 0, null), ...steps(fork, a, 1), ...steps(fork, b, 2)];
    }
    rows.sort((x, y) => x.op - y.op);
    return { relation, rows, other_ancestors: others, misses: [] };
  }
}
