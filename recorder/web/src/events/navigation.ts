/**
 * Leaving the page, coming back, and moving inside it. `popstate` and `hashchange` are ordered among
 * each other; the events of leaving the page may come at any time. The report of an uncaught error is a
 * task, too, unless it happens inside one.
 */
import { List } from 'interloper-js-recorder/natives';
import type { Dispatches } from './dispatch';

const LEAVING = ['beforeunload', 'pagehide', 'unload'];
const MOVING = ['popstate', 'hashchange'];
const FAILING = ['error', 'unhandledrejection', 'rejectionhandled'];

/** Watches a window or a worker. Calls `left` when a window's document is about to be gone. */
export function watchNavigation(dispatches: Dispatches, left: () => void = () => {}): void {
  const { realm } = dispatches;
  const { agent, global } = realm;
  const types = new List<[string, string]>();
  for (const type of LEAVING) types.add([type, 'unload']);
  for (const type of MOVING) types.add([type, type]);
  for (const type of FAILING) types.add([type, 'error']);
  let last = '';
  dispatches.source((event, target, type) => {
    if (target !== global && target !== dispatches.elements.document) return false;
    for (let at = 0; at < types.length; at++) {
      if (types.at(at)[0] !== type) continue;
      const id = realm.id();
      const kind = types.at(at)[1];
      dispatches.begin(event, id, kind, type);
      if (kind === type) {
        realm.arc(last, id);
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
