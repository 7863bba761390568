/**
 * Modules and `import()`.
 *
 * The modules of a graph that need not wait are evaluated in one task, dependencies first: the first one's
 * event starts the task, and those of the others are parts of it, of type `module`. An `import()` comes
 * before the evaluation of the graph that it loads, and the result of the `import()` after it. Modules are
 * known by their addresses.
 */
import { apply, construct, List, newMap } from './natives';
import type { Method } from './builtins';
import type { Realm } from './realm';

const { split } = String.prototype;

/** The calls of `import()` that wait for a module. */
interface Waiting {
  event: string;
  /** Whether calls in other events wait, too. Then any of them may have loaded the module. */
  shared: boolean;
}

export class Modules {
  /** The event in which each module was evaluated, by address. */
  private readonly evaluated = newMap<string, string>();
  private readonly waiting = newMap<string, Waiting>();
  /** The event of the module that runs, and the event that started its task. */
  private running = '';
  private first = '';
  /** The address that the last operand of `import()` stands for. */
  private asked: string | undefined;
  private readonly resolve: (address: string, base: string) => string | undefined;

  constructor(
    private readonly realm: Realm,
    /** Called with the address of a module before it is requested. */
    announce: (address: string) => void,
  ) {
    const { URL } = realm.global;
    const href = realm.getter(URL?.prototype, 'href');
    const { origin } = realm.global;
    this.resolve = (address, base) => {
      try {
        const around = href(construct(URL, [base, `${origin}/`]));
        return href(construct(URL, [address, around]));
      } catch {
        return undefined;
      }
    };
    realm.hooks.is = (specifier: unknown, base: unknown) => {
      this.asked = typeof specifier === 'string' ? this.addressOf(specifier, base) : undefined;
      if (this.asked !== undefined && !this.evaluated.has(this.asked)) announce(this.asked);
      return specifier;
    };
  }

  private addressOf(specifier: string, base: unknown): string | undefined {
    if (typeof base !== 'function') return this.resolve(specifier, typeof base === 'string' ? base : '');
    try {
      return apply(base as Method, undefined, [specifier]) as string;
    } catch {
      return undefined;
    }
  }

  /** Notes a call of `import()`. Returns the address of the module, if it is known. */
  imports(): string | undefined {
    const { asked } = this;
    this.asked = undefined;
    const { event } = this.realm.agent;
    if (asked === undefined || event === '' || this.evaluated.has(asked)) return asked;
    const before = this.waiting.get(asked);
    if (!before) this.waiting.set(asked, { event, shared: false });
    else if (before.event !== event) before.shared = true;
    return asked;
  }

  /** The event in which a module was evaluated, or none. */
  event(address: string | undefined): string {
    return (address !== undefined && this.evaluated.get(address)) || '';
  }

  /** Whether the running event is that of a module, whose graph goes on with another module. */
  get goesOn(): boolean {
    return this.running !== '' && this.realm.agent.event === this.running;
  }

  /**
   * Records that a module's code begins in an event that has begun. `byPage` states that the document
   * itself loads the module, so that it does not wait for an `import()`.
   */
  began(address: string | undefined, id: string, isFirst: boolean, byPage: boolean): void {
    if (isFirst) this.first = id;
    else this.realm.arc(this.running, id, 'script');
    this.running = id;
    if (address === undefined) return;
    this.evaluated.set(address, id);
    const waiting = this.waiting.get(address);
    this.waiting.delete(address);
    if (waiting && !waiting.shared && !byPage) this.realm.arc(waiting.event, this.first, 'script');
  }
}

/** The last segment of an address, which names the file. */
export function fileOf(address: string): string {
  const path = (apply(split, address, [/[?#]/]) as string[])[0]!;
  const segments = new List<string>();
  for (const segment of apply(split, path, ['/']) as string[]) if (segment !== '') segments.add(segment);
  return segments.length === 0 ? address : segments.at(segments.length - 1);
}
