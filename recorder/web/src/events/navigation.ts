/**
 * Leaving the page, coming back, and moving inside it. `popstate` and `hashchange` are ordered among
 * each other, and come after what moved: the event that changed the address of the document, the call of
 * `history.back` or the like, or the click on a link. The events of leaving the page may come at any time.
 * The report of an uncaught error is a task, too, unless it happens inside one.
 */
import { replace } from 'interloper-js-recorder/builtins';
import { apply, List, newMap } from 'interloper-js-recorder/natives';
import type { Dispatches } from './dispatch';
import type { WindowRealm } from './window';

const LEAVING = ['beforeunload', 'pagehide', 'unload'];
const MOVING = ['popstate', 'hashchange'];
const FAILING = ['error', 'unhandledrejection', 'rejectionhandled'];

/** How many addresses are remembered with the events that moved there. Movements wait only for a moment. */
const MOVES = 8;

/** What moves inside a document. */
export class Moves {
  private readonly href: (() => string) | undefined;
  /** The address of the document at the end of the last event. */
  private address = '';
  private readonly moved = newMap<string, string>();
  private readonly recent = new List<string>();
  private count = 0;
  /** The events that asked for a movement in the history, of which the first `taken` have come. */
  private readonly asked = new List<string>();
  private taken = 0;
  /** The last click on a link. */
  clicked = '';

  constructor(private readonly realm: WindowRealm) {
    const { global, agent } = realm;
    const { location, History } = global;
    if (!global.document || !History) return;
    const href = realm.getter(location, 'href');
    this.href = () => href(location);
    this.address = this.href();
    const { asked } = this;
    for (const name of ['back', 'forward', 'go'])
      replace(
        History.prototype,
        name,
        (original) =>
          ({
            method(...args: unknown[]) {
              const result = apply(original, this, args);
              if (agent.event !== '') asked.add(agent.event);
              return result;
            },
          }).method,
      );
  }

  /** Notes that the running event may have moved, by an assignment to the address or by `pushState`. */
  drain(): void {
    if (!this.href) return;
    const address = this.href();
    if (address === this.address) return;
    this.address = address;
    const at = this.count++ % MOVES;
    if (this.count > MOVES) this.moved.delete(this.recent.at(at));
    this.recent.put(at, address);
    // The user follows a link while no event runs.
    this.moved.set(address, this.realm.agent.event || this.clicked);
    this.clicked = '';
  }

  /** What moved the document to an address. */
  cause(type: string, address: string): string {
    if (type === 'popstate' && this.taken < this.asked.length) return this.asked.at(this.taken++);
    return this.moved.get(address) ?? '';
  }

  /** What moved the document to its current address. */
  get current(): string {
    this.drain();
    return this.address;
  }
}

/** Watches a window or a worker. Calls `left` when a window's document is about to be gone. */
export function watchNavigation(dispatches: Dispatches, moves?: Moves, left: () => void = () => {}): void {
  const { realm } = dispatches;
  const { agent, global } = realm;
  const types = new List<[string, string]>();
  for (const type of LEAVING) types.add([type, 'unload']);
  for (const type of MOVING) types.add([type, type]);
  for (const type of FAILING) types.add([type, 'error']);
  let last = '';
  const newURL = realm.getter(global.HashChangeEvent?.prototype, 'newURL');
  const causeOf = (event: any, type: string): string => {
    const current = moves?.current ?? '';
    return moves?.cause(type, type === 'hashchange' ? newURL(event) : current) ?? '';
  };
  dispatches.source((event, target, type) => {
    if (target !== global && target !== dispatches.elements.document) return false;
    for (let at = 0; at < types.length; at++) {
      if (types.at(at)[0] !== type) continue;
      const id = realm.id();
      const kind = types.at(at)[1];
      const cause = kind === type ? causeOf(event, type) : '';
      dispatches.begin(event, id, kind, type);
      if (kind === type) {
        realm.arc(last, id);
        realm.arc(cause, id);
        last = id;
      }
      agent.end();
      return true;
    }
    return false;
  });
  const leave = (event: any): void => {
    if (dispatches.isNative(event)) agent.strays();
    left();
  };
  // If the next document has another process, the browser no longer listens when `pagehide` comes.
  // `beforeunload` comes before the browser begins to navigate.
  const ask = (): void => agent.leave();
  realm.started(() => {
    realm.listen(global, 'beforeunload', ask, false);
    realm.listen(global, 'pagehide', leave, false);
  });
}
