// The address is the state of the page: `#/RUN/VIEW/ID?key=value`.
import { computed, signal } from '@preact/signals';

export interface Route {
  run: number;
  view: string;
  id: string;
  params: URLSearchParams;
  /** The address of a race or group in the static report, such as `race-0123456789abcdef`. */
  anchor: string | null;
}

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.startsWith('#/') ? hash.slice(2).split('?', 2) : [];
  const [run = '0', view = 'races', ...id] = path.split('/');
  return {
    run: Number(run) || 0,
    view: view || 'races',
    id: decodeURIComponent(id.join('/')),
    params: new URLSearchParams(query),
    anchor: /^#(race|group)-\w+$/.test(hash) ? hash.slice(1) : null,
  };
}

export const route = signal(parse(location.hash));
addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

export const run = computed(() => route.value.run);

/** Returns the address of a view of the current run. */
export function link(view: string, id: string | number = '', params: Record<string, string | number> = {}): string {
  const query = new URLSearchParams(Object.entries(params).map(([key, value]) => [key, String(value)])).toString();
  const path = id === '' ? view : `${view}/${encodeURIComponent(id)}`;
  return `#/${route.value.run}/${path}${query && `?${query}`}`;
}

/** Goes to an address, as a link does. */
export function go(address: string): void {
  location.hash = address;
}

/** Changes parameters of the address without a new entry of the history. */
export function adjust(changes: Record<string, string | null>): void {
  const { run, view, id, params } = route.value;
  const next = new URLSearchParams(params);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) next.delete(key);
    else next.set(key, value);
  }
  const query = next.toString();
  const path = id === '' ? view : `${view}/${encodeURIComponent(id)}`;
  history.replaceState(null, '', `#/${run}/${path}${query && `?${query}`}`);
  route.value = { run, view, id, params: next, anchor: null };
}
