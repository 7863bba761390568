/**
 * Tasks that a replay holds back. A task is identified by its path, as `crates/replay/src/paths.rs` defines it:
 * the path of the task that posted it, then the queue and the number of the post among those of the task to that
 * queue; or else its type and name, and its number among those of the document.
 *
 * A task that is due while it is held does not run. It runs in a task of its own when it is released, unless the
 * program has cancelled it by then. The replay also asks here what is due, and random numbers come from here:
 * they depend on the seed, the path of the task and the number of the call in the task, so that what runs elsewhere
 * changes none of them.
 */
import { apply, imul, List, newMap } from './natives';

const { exec } = RegExp.prototype;
const { slice, charCodeAt } = String.prototype;
/** The numbers of a document, a worker and an event before the name of a queue. */
const numbers = /^(?:[rw]?\d+\.)+/;
/** How many expected things are kept before those that are over are removed. */
const MANY = 512;

/** A path. The last post may be repeated, as in a chain of timers. */
interface Path {
  /** The path without the last post. */
  base: string;
  last: string;
  times: number;
}

const textOf = ({ base, last, times }: Path): string => `${base}${last}${times > 1 ? `*${times}` : ''}`;

/** Something that will happen at a time, such as the firing of a timer. */
export interface Expected {
  /** In milliseconds since the recording began. */
  at: number;
  isOver: boolean;
  /** Lets it happen now. */
  happen(): void;
}

/** What a replay tells the runtime. */
export interface Replay {
  /** The paths of the tasks that are held. */
  readonly holds: readonly string[];
  /** Whether anything is held, so that the recorder must hear at once what happens. */
  readonly hasty?: boolean;
  /** Whether the program runs as it is, apart from what is held: its random numbers and its clock are its own. */
  readonly isLive?: boolean;
  /** What random numbers depend on. */
  readonly seed?: number;
  /** How many milliseconds the program's clock is ahead of the platform's. */
  readonly clock?: number;
}

/** A name without the numbers of objects (`button(created at a.js:3)@12`), which depend on what else was created. */
function withoutInstances(name: string): string {
  let plain = '';
  let kept = 0;
  for (let at = 0; at < name.length; at++) {
    if (apply(charCodeAt, name, [at]) !== 64) continue;
    let end = at + 1;
    const isDigit = () => {
      const code = apply(charCodeAt, name, [end]) as number;
      return code >= 48 && code <= 57;
    };
    while (isDigit()) end++;
    if (end === at + 1) continue;
    plain += apply(slice, name, [kept, at]) as string;
    kept = end;
    at = end - 1;
  }
  return plain + (apply(slice, name, [kept]) as string);
}

export class Holds {
  private readonly held = newMap<string, true>();
  /** The paths of the events that were posted and have not begun. */
  private readonly posted = newMap<string, Path>();
  /** What runs when a path is released. */
  private readonly waiting = newMap<string, () => void>();
  /** The path of the running task, or of the last one. */
  private task: Path = { base: '', last: '', times: 1 };
  /** How many posts the task has made to each queue. */
  private posts = newMap<string, number>();
  private readonly roots = newMap<string, number>();
  private readonly expected = new List<Expected>();
  /** The state of the random numbers of the task, once there is one. */
  private state: number | undefined;
  private readonly seed: string;
  /** Whether every event is reported as soon as it ends. */
  readonly isHasty: boolean;
  /** Whether a task is held, or will be. */
  readonly isEmpty: boolean;
  /** How many milliseconds the program's clock is ahead of the platform's. */
  clock: number;
  /** How many of them were skipped since the start. */
  skipped = 0;

  constructor(
    { holds, hasty, seed, clock }: Replay,
    private readonly later: (callback: () => void) => void,
    private readonly now: () => number,
    /** Tells the recorder that a task is held. */
    private readonly tell: (path: string) => void,
  ) {
    for (let at = 0; at < holds.length; at++) this.held.set(holds[at]!, true);
    this.isEmpty = holds.length === 0;
    this.isHasty = hasty === true;
    this.seed = `${seed ?? 0}`;
    this.clock = clock ?? 0;
  }

  /** Notes that the running task posts an event. */
  post(id: string, queue: string): void {
    const found = apply(exec, numbers, [queue]) as string[] | null;
    const plain = found ? (apply(slice, queue, [found[0]!.length]) as string) : queue;
    const count = (this.posts.get(plain) ?? 0) + 1;
    this.posts.set(plain, count);
    const last = `/${plain}#${count}`;
    const { task } = this;
    const repeats = task.last === last;
    this.posted.set(id, { base: repeats ? task.base : textOf(task), last, times: repeats ? task.times + 1 : 1 });
  }

  /** Notes that a task begins. */
  begin(id: string, type: string, name: string): void {
    const posted = this.posted.get(id);
    if (posted !== undefined) {
      this.posted.delete(id);
      this.task = posted;
    } else {
      const root = `${type}:${withoutInstances(name)}`;
      const count = (this.roots.get(root) ?? 0) + 1;
      this.roots.set(root, count);
      this.task = { base: `${root}#${count}`, last: '', times: 1 };
    }
    this.posts = newMap();
    this.state = undefined;
  }

  /** The path of a task that has not begun: of a posted one, or of one with this type and name. */
  private pathOf(id: string, type: string, name: string): string {
    const path = this.posted.get(id);
    if (path !== undefined) return textOf(path);
    const root = `${type}:${withoutInstances(name)}`;
    return `${root}#${(this.roots.get(root) ?? 0) + 1}`;
  }

  /** Whether the task of an event is to be held. */
  has(id: string, type = '', name = ''): boolean {
    return !this.isEmpty && this.held.has(this.pathOf(id, type, name));
  }

  /** Whether the task of an event is held. If it is, `run` is called when the task is released. */
  holds(id: string, run: () => void, type = '', name = ''): boolean {
    if (!this.has(id, type, name)) return false;
    const path = this.pathOf(id, type, name);
    this.waiting.set(path, run);
    this.tell(path);
    return true;
  }

  /** Lets a task run from now on. */
  release(path: string): void {
    this.held.delete(path);
    const run = this.waiting.get(path);
    this.waiting.delete(path);
    if (run) this.later(run);
  }

  /** Calls `act` in a task of its own. */
  soon(act: () => void): void {
    this.later(act);
  }

  /** Notes that something will happen after a delay in milliseconds. */
  expect(delay: number, happen: () => void): Expected {
    const { expected } = this;
    if (expected.length >= MANY) this.prune();
    const one = { at: this.now() + delay, isOver: false, happen };
    expected.add(one);
    return one;
  }

  private prune(): void {
    const { expected } = this;
    let kept = 0;
    const { length } = expected;
    for (let at = 0; at < length; at++) {
      const one = expected.at(at);
      if (!one.isOver) expected.put(kept++, one);
    }
    expected.length = kept;
  }

  /** In how many milliseconds the next thing will happen, if anything will. `now` lets it happen now. */
  due(now: boolean): number | undefined {
    this.prune();
    let first: Expected | undefined;
    for (let at = 0; at < this.expected.length; at++) {
      const one = this.expected.at(at);
      if (!first || one.at < first.at) first = one;
    }
    if (!first) return undefined;
    const left = first.at - this.now();
    const wait = left > 0 ? left : 0;
    if (now) {
      first.isOver = true;
      this.skipped += wait;
      this.clock += wait;
      first.happen();
    }
    return wait;
  }

  /** The next random number of the task: an integer of 32 bits. */
  random(): number {
    if (this.state === undefined) {
      let hash = 0x811c9dc5;
      const text = `${this.seed} ${textOf(this.task)}`;
      for (let at = 0; at < text.length; at++)
        hash = imul(hash ^ (apply(charCodeAt, text, [at]) as number), 0x01000193);
      this.state = hash;
    }
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = this.state;
    mixed = imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  }
}
