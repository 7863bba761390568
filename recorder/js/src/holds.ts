/**
 * Tasks that a replay holds back. A task is identified by its path, as `crates/replay/src/paths.rs` defines it:
 * the path of the task that posted it, then the queue and the number of the post among those of the task to that
 * queue; or else its type and name, and its number among those of the document.
 *
 * A task that is due while it is held does not run. It runs in a task of its own when it is released, unless the
 * program has cancelled it by then.
 */
import { apply, newMap } from './natives';

const { exec } = RegExp.prototype;
const { slice } = String.prototype;
/** The numbers of a document and an event before the name of a queue. */
const numbers = /^(?:r?\d+\.)+/;

export class Holds {
  private readonly held = newMap<string, true>();
  /** The paths of the events that were posted and have not begun. */
  private readonly posted = newMap<string, string>();
  /** What runs when a path is released. */
  private readonly waiting = newMap<string, () => void>();
  /** The path of the running task, or of the last one. */
  private task = '';
  /** How many posts the task has made to each queue. */
  private posts = newMap<string, number>();
  private readonly roots = newMap<string, number>();

  constructor(
    paths: readonly string[],
    private readonly later: (callback: () => void) => void,
  ) {
    for (let at = 0; at < paths.length; at++) this.held.set(paths[at]!, true);
  }

  /** Notes that the running task posts an event. */
  post(id: string, queue: string): void {
    const found = apply(exec, numbers, [queue]) as string[] | null;
    const plain = found ? (apply(slice, queue, [found[0]!.length]) as string) : queue;
    const count = (this.posts.get(plain) ?? 0) + 1;
    this.posts.set(plain, count);
    this.posted.set(id, `${this.task}/${plain}#${count}`);
  }

  /** Notes that a task begins. */
  begin(id: string, type: string, name: string): void {
    const posted = this.posted.get(id);
    if (posted !== undefined) {
      this.posted.delete(id);
      this.task = posted;
    } else {
      const root = `${type}:${name}`;
      const count = (this.roots.get(root) ?? 0) + 1;
      this.roots.set(root, count);
      this.task = `${root}#${count}`;
    }
    this.posts = newMap();
  }

  /** Whether the task of an event is held. If it is, `run` is called when the task is released. */
  holds(id: string, run: () => void): boolean {
    const path = this.posted.get(id);
    if (path === undefined || !this.held.has(path)) return false;
    this.waiting.set(path, run);
    return true;
  }

  /** Lets a task run from now on. */
  release(path: string): void {
    this.held.delete(path);
    const run = this.waiting.get(path);
    this.waiting.delete(path);
    if (run) this.later(run);
  }
}
