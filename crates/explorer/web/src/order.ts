// The order of operations without a server: steps whose closure is happens-before, searched.
import type { RailsView, Row } from './api';

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

const NONE = 0xffffffff;

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

export class Order {
  /** For each vertex, where its steps begin among those sorted by target. */
  private readonly into = new Map<number, number[]>();

  constructor(
    private readonly table: OrderTable,
    /** The first operation of each event, by number. */
    private readonly begins: Map<number, number>,
  ) {
    const { to } = table;
    for (let i = 0; i < (to?.length ?? 0); i++) {
      const steps = this.into.get(to![i]!);
      if (steps) steps.push(i);
      else this.into.set(to![i]!, [i]);
    }
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

  /** Returns every vertex that leads to `to`, with the step out of it on a shortest way. */
  private ways(to: number): Map<number, number> {
    const next = new Map<number, number>([[to, -1]]);
    const queue = [to];
    for (const at of queue)
      for (const step of this.into.get(at) ?? []) {
        const from = this.table.from![step]!;
        if (next.has(from)) continue;
        next.set(from, step);
        queue.push(from);
      }
    return next;
  }

  private ways_ = new Map<number, Map<number, number>>();

  /** The ways to a vertex; those of the last few are kept. */
  private waysTo(to: number): Map<number, number> {
    let ways = this.ways_.get(to);
    if (!ways) {
      ways = this.ways(to);
      if (this.ways_.size > 8) this.ways_.clear();
      this.ways_.set(to, ways);
    }
    return ways;
  }

  /** Whether one operation happens before another. */
  before(a: number, b: number): boolean {
    if (a === b) return false;
    const { matrix, operations, of_events } = this.table;
    if (matrix) {
      const bit = this.position(a) * operations + this.position(b);
      return ((matrix[bit >> 5]! >>> (bit & 31)) & 1) === 1;
    }
    if (!of_events) return this.waysTo(this.position(b)).has(this.position(a));
    const [t, u] = [this.eventOf(a), this.eventOf(b)];
    if (t === null || u === null || a > b) return false;
    return t === u ? this.table.within_events === true : this.waysTo(u).has(t);
  }

  relation(a: number, b: number): RailsView['relation'] {
    if (a === b) return 'same';
    if (this.before(a, b)) return 'before';
    return this.before(b, a) ? 'after' : 'unordered';
  }

  /** The steps from one operation to another that it happens before. */
  private path(a: number, b: number): Step[] {
    const { of_events, rules, rule, to, matrix } = this.table;
    if (matrix) return [{ from: a, to: b, rule: '', merges: false }];
    const steps: Step[] = [];
    const [start, end] = of_events ? [this.eventOf(a)!, this.eventOf(b)!] : [this.position(a), this.position(b)];
    const ways = this.waysTo(end);
    let at = a;
    for (let vertex = start; vertex !== end; ) {
      const step = ways.get(vertex)!;
      vertex = to![step]!;
      const [name, merges] = rules![rule![step]!]!;
      const place = of_events ? this.begins.get(vertex)! : this.numbered(vertex);
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

  /** The last operations that happen before both. */
  private ancestors(a: number, b: number): number[] {
    const { of_events, matrix, operations } = this.table;
    if (matrix) {
      const all = Array.from({ length: operations }, (_, i) => this.numbered(i));
      const both = all.filter((op) => this.before(op, a) && this.before(op, b));
      return both.filter((op) => !both.some((other) => this.before(op, other)));
    }
    const [of_a, of_b] = of_events ? [this.eventOf(a), this.eventOf(b)] : [this.position(a), this.position(b)];
    if (of_a === null || of_b === null) return [];
    const [to_a, to_b] = [this.waysTo(of_a), this.waysTo(of_b)];
    const both = new Set([...to_a.keys()].filter((vertex) => to_b.has(vertex)));
    // A vertex with a step to another common one is not the last.
    for (const vertex of [...both])
      for (const step of this.into.get(vertex) ?? []) if (both.has(vertex)) both.delete(this.table.from![step]!);
    const last = (event: number) => {
      const { run, event: events } = this.table;
      const limit = Math.min(a, b);
      for (let i = lastUpTo(run, limit - 1); i >= 0; i--)
        if (events[i] === event) return Math.min(limit, run[i + 1] ?? limit) - 1;
      return this.begins.get(event)!;
    };
    return [...both].map((vertex) => (of_events ? last(vertex) : this.numbered(vertex))).sort((x, y) => x - y);
  }

  /** Returns the rails of two operations, as the server does. */
  rails(a: number, b: number, line: (op: number) => string): RailsView {
    const relation = this.relation(a, b);
    const row = (op: number, rail: Row['rail'], rule: string | null): Row => {
      const event = this.eventOf(op);
      const text = event === null ? 'outside events' : (this.table.nouns[event] ?? `event ${event}`);
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
