/**
 * Modules and `import()`.
 *
 * The modules of a graph that need not wait are evaluated in one task, dependencies first: the first one's
 * event starts the task, and those of the others are parts of it, of type `module`. An `import()` comes
 * before the evaluation of the graph that it loads, and the result of the `import()` after it. Modules are
 * known by their addresses.
 *
 * Two graphs may share a module, and the first of them evaluates it. So the modules that a module imports
 * come before it even if they were evaluated in another task. The order of the two graphs does not follow:
 * had the second come first, it would have evaluated the shared module. So while several graphs load, an
 * event of type `settlement` stands for the moment at which one is there; the modules after its first one
 * follow that event, too, and what follows the first one alone does not follow them.
 */
import { apply, construct, List, newMap } from './natives';
import type { Imports } from './hooks';
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
  /** The event in which each module was evaluated, or in which its evaluation ended, by address. */
  private readonly evaluated = newMap<string, string>();
  /** The event that started the task in which each module was evaluated, by address. */
  private readonly graphs = newMap<string, string>();
  private readonly waiting = newMap<string, Waiting>();
  /** The event of the module that runs, and the event that started its task. */
  private running = '';
  private first = '';
  /** The event that stands for the loading of the graph, if it is one of several. */
  private loaded = '';
  /** The graphs that load, by the addresses of their entries. */
  private readonly loading = newMap<string, true>();
  private pending = 0;
  /** How many graphs with an entry of this address the document itself loads, in its order. */
  private readonly entries = newMap<string, number>();
  private ordered = 0;
  /** Whether the running graph is one of these. */
  private isOfPage = false;
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
    realm.hooks.pe = (address: string) => {
      this.evaluated.set(address, realm.agent.event);
      this.graphs.delete(address);
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
    this.loads(asked);
    const before = this.waiting.get(asked);
    if (!before) this.waiting.set(asked, { event, shared: false });
    else if (before.event !== event) before.shared = true;
    return asked;
  }

  /** Notes that a graph loads, whose entry nothing but its loading orders. */
  loads(address: string): void {
    if (this.evaluated.has(address) || this.loading.has(address)) return;
    this.loading.set(address, true);
    this.pending++;
  }

  /** Notes that the document itself loads a graph, which is evaluated in the order of the document. */
  orders(address: string): void {
    this.entries.set(address, (this.entries.get(address) ?? 0) + 1);
    this.ordered++;
  }

  /** Called before the event of the first module of a graph begins. */
  begins(): void {
    this.loaded = '';
    if (this.pending < 2) return;
    this.loaded = this.realm.id();
    this.realm.agent.aside(this.loaded, 'settlement', 'modules', () => {});
  }

  /** The event in which a module was evaluated, or none. */
  event(address: string | undefined): string {
    return (address !== undefined && this.evaluated.get(address)) || '';
  }

  /** Orders the event of a module after those of the modules that it imports, if these are not in its task. */
  imported({ resolve, specifiers }: Imports, id: string): void {
    for (let at = 0; at < specifiers.length; at++) {
      const address = this.addressOf(specifiers[at]!, resolve);
      if (address === undefined || this.graphs.get(address) === this.first) continue;
      this.realm.arc(this.event(address), id, 'script');
    }
  }

  /** Whether the running event is that of a module, whose graph goes on with another module. */
  get goesOn(): boolean {
    return this.running !== '' && this.realm.agent.event === this.running;
  }

  /**
   * Records that a module's code begins in an event that has begun. `deferring` states that the document
   * evaluates its own modules at this time. Returns the first event of the graph when it is known to be one
   * of these: at its first module, if no other graph loads, and else at its entry.
   */
  began(address: string | undefined, id: string, isFirst: boolean, deferring: boolean): string {
    if (isFirst) {
      this.first = id;
      this.isOfPage = false;
    } else {
      this.realm.arc(this.running, id, 'script');
      this.realm.arc(this.loaded, id, 'script');
    }
    this.running = id;
    const isEntry = address !== undefined && this.entered(address);
    const isAlone = isFirst && this.pending === 0 && (this.ordered > 0 || isEntry);
    const follows = deferring && !this.isOfPage && (isEntry || isAlone) ? this.first : '';
    this.isOfPage ||= follows !== '';
    if (address !== undefined) this.evaluates(address, id);
    return follows;
  }

  /** Whether an address is that of an entry of the document, which is evaluated now. */
  private entered(address: string): boolean {
    const count = this.entries.get(address) ?? 0;
    if (count === 0) return false;
    this.entries.set(address, count - 1);
    this.ordered--;
    return true;
  }

  private evaluates(address: string, id: string): void {
    if (this.loading.has(address)) {
      this.loading.delete(address);
      this.pending--;
    }
    this.evaluated.set(address, id);
    this.graphs.set(address, this.first);
    const waiting = this.waiting.get(address);
    this.waiting.delete(address);
    if (waiting && !waiting.shared && !this.isOfPage) this.realm.arc(waiting.event, this.first, 'script');
  }
}

/** The last segment of an address, which names the file. */
export function fileOf(address: string): string {
  const path = (apply(split, address, [/[?#]/]) as string[])[0]!;
  const segments = new List<string>();
  for (const segment of apply(split, path, ['/']) as string[]) if (segment !== '') segments.add(segment);
  return segments.length === 0 ? address : segments.at(segments.length - 1);
}
