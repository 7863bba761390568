// The page: its frame, its keys, and which view it shows.
import { effect, signal } from '@preact/signals';
import { type JSX, render } from 'preact';
import { useEffect } from 'preact/hooks';
import {
  Failure,
  type Found,
  forget,
  groupsOf,
  isOffline,
  type Listed,
  poll,
  type RaceView,
  type RunView,
  view,
} from './api';
import { open } from './offline';
import { Answer, Problem, raceLink } from './parts';
import { order, Race, swap } from './race';
import { groups, List, listed } from './races';
import { go, link, route, run } from './route';
import {
  ComparePage,
  EventPage,
  EventsPage,
  ExplainPage,
  Location,
  Locations,
  OperationPage,
  PickPage,
  RunsPage,
  StatisticsPage,
  SuppressPage,
} from './tables';
import { Timeline } from './timeline';

const failure = signal<unknown>(null);
/** Whether there is more than one run. */
const several = signal(false);
/** What is to be said about the file of the run in sight. */
const notice = signal('');
const help = signal(false);
const copied = signal('');

/** The keys and what they do. */
const KEYS: [string, string][] = [
  ['j k', 'next and previous race'],
  ['x', 'this order or the other one'],
  ['p', 'pick two operations'],
  ['t', 'timeline'],
  ['r', 'the rules that lead to both accesses'],
  ['l', 'the location of this race'],
  ['c', 'what it covers and what covers it'],
  ['s', 'suppress this race'],
  ['v', 'events'],
  ['/', 'search'],
  ['y', 'copy this race as Markdown'],
  ['Y', 'copy a link to this view'],
  ['a d w s f', 'move, zoom and show all of the timeline, when it has the focus'],
  [', .', 'previous and next event of a lane, when the timeline has the focus'],
  ['[ ]', 'along the arrows to an access, when the timeline has the focus'],
  ['?', 'these keys'],
  ['Escape', 'back to the races'],
];

/** Returns the fingerprint of the race in sight, and its number among those with it. */
function current(): [string, string] {
  const [fingerprint = '', nth = '1'] = route.value.view === 'race' ? route.value.id.split('~') : [];
  return [fingerprint, nth];
}

function race(): Promise<RaceView> {
  const [fingerprint, nth] = current();
  return view<RaceView>(`${run.value}/races?fingerprint=${encodeURIComponent(fingerprint)}&n=${nth}`);
}

/** Goes to another race of the list. */
function step(by: number): void {
  const [all, list] = [groups.value, listed.value];
  const [fingerprint, nth] = current();
  const at = list.indexOf(all?.find(fingerprint, Number(nth)) ?? -1);
  const next = list[Math.min(list.length - 1, Math.max(0, at + by))];
  if (all && next !== undefined) go(raceLink(all.at(next)));
}

async function copy(text: string, what: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  copied.value = `${what} copied`;
  setTimeout(() => {
    copied.value = '';
  }, 2000);
}

const ACTIONS: Record<string, () => unknown> = {
  j: () => step(1),
  k: () => step(-1),
  x: swap,
  p: () => go(link('pick')),
  t: () => go(link('timeline')),
  v: () => go(link('events')),
  l: async () => {
    const shown = await race();
    if (shown.location !== null) go(link('location', shown.location, { with: shown.race.first.op }));
  },
  y: async () => copy((await race()).markdown, 'Markdown'),
  Y: () => copy(location.href, 'Link'),
  s: async () => go(link('suppress', (await race()).race.id)),
  r: () => document.querySelector('.rows')?.scrollIntoView({ block: 'center' }),
  c: () => {
    for (const links of document.querySelectorAll<HTMLDetailsElement>('details.links')) links.open = true;
    document.querySelector('.more')?.scrollIntoView();
  },
  '/': () => document.querySelector<HTMLInputElement>('#find')?.focus(),
  '?': () => {
    help.value = !help.value;
  },
  Escape: () => {
    if (help.value) help.value = false;
    else history.back();
  },
};

addEventListener('keydown', (event) => {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target instanceof HTMLElement && target.matches('input:not([type=radio]), select, textarea')) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  const action = ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

function theme(): void {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  dispatchEvent(new Event('theme'));
}

const query = signal('');

function Search(): JSX.Element {
  const text = query.value;
  const target = (found: Found) => {
    query.value = '';
    go(found.race ? raceLink(found.race) : link(found.kind, found.number));
  };
  return (
    <search class="find">
      <input
        id="find"
        type="search"
        aria-label="Search races, locations, events and operations"
        placeholder="Location, event, function, file, 424…"
        value={text}
        onInput={(event) => {
          query.value = event.currentTarget.value;
        }}
      />
      <kbd>/</kbd>
      {text.trim() !== '' && (
        <div class="found" role="region" aria-label="Results">
          <Answer of={view<Found[]>(`${run.value}/search?q=${encodeURIComponent(text)}`)}>
            {(found) =>
              found.length === 0 ? (
                <p class="dim">Nothing has that name.</p>
              ) : (
                found.map((item) => (
                  <button type="button" key={`${item.kind} ${item.number}`} onClick={() => target(item)}>
                    <span class="chip">{item.kind}</span> <code>{item.text}</code>
                  </button>
                ))
              )
            }
          </Answer>
        </div>
      )}
    </search>
  );
}

const VIEWS: [string, string][] = [
  ['races', 'Races'],
  ['timeline', 'Timeline'],
  ['locations', 'Locations'],
  ['events', 'Events'],
  ['pick', 'Order'],
  ['statistics', 'Statistics'],
  ['runs', 'Runs'],
  ['compare', 'Compare'],
];

/** The views that need several runs. */
const SEVERAL = ['runs', 'compare'];

function Top(): JSX.Element {
  const at = route.value.view;
  const tab =
    at === 'race'
      ? 'races'
      : at === 'location'
        ? 'locations'
        : at === 'event'
          ? 'events'
          : at === 'operation'
            ? 'pick'
            : at;
  return (
    <header class="top">
      <span class="brand">Interloper</span>
      <Answer of={view<Listed[]>('runs')}>
        {(runs) => (
          <select
            class="run"
            aria-label="Run"
            value={run.value}
            onChange={(event) => go(`#/${event.currentTarget.value}/races`)}
          >
            {runs.map((entry) => (
              <option key={entry.id} value={entry.id}>
                {entry.name}
              </option>
            ))}
          </select>
        )}
      </Answer>
      <nav class="tabs" aria-label="Views">
        {VIEWS.filter(([name]) => several.value || !SEVERAL.includes(name)).map(([name, title]) => (
          <a key={name} href={link(name)} aria-current={tab === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <Search />
      <button type="button" class="icon" aria-label="Dark or light" onClick={theme}>
        ◐
      </button>
    </header>
  );
}

/** What the run is, and what is set aside, when no race is selected. */
function Summary({ of }: { of: RunView }): JSX.Element {
  return (
    <div class="card page text">
      <h1>{of.conclusion}</h1>
      {of.caveat && <p class="problem">{of.caveat}</p>}
      <p>
        {of.trace.operations.toLocaleString('en')} operations, {of.trace.events.toLocaleString('en')} events under model{' '}
        {of.model}.
      </p>
      {of.set_aside.length > 0 && <p>Set aside: {of.set_aside.join('; ')}.</p>}
    </div>
  );
}

function Main(): JSX.Element {
  const at = route.value.view;
  if (failure.value) return <Problem error={failure.value} />;
  if (at === 'timeline') return <Timeline race={null} />;
  if (at === 'locations') return <Locations />;
  if (at === 'location') return <Location />;
  if (at === 'events') return <EventsPage />;
  if (at === 'event') return <EventPage />;
  if (at === 'operation') return <OperationPage />;
  if (at === 'pick') return <PickPage />;
  if (at === 'statistics') return <StatisticsPage />;
  if (at === 'compare') return <ComparePage />;
  if (at === 'explain') return <ExplainPage />;
  if (at === 'runs') return <RunsPage />;
  if (at === 'suppress') return <SuppressPage />;
  if (at === 'race')
    return (
      <Answer key="race" of={race()}>
        {(shown) => <Race view={shown} />}
      </Answer>
    );
  if (at === 'races')
    return (
      <Answer key="run" of={view<RunView>(String(run.value))}>
        {(shown) => <Summary of={shown} />}
      </Answer>
    );
  return <Problem error={new Failure('There is no such view.', 'The tabs above lead to all of them.')} />;
}

function Help(): JSX.Element {
  return (
    <div class="help" role="dialog" aria-modal="true" aria-label="Keys">
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => (help.value = false)}>
        Close
      </button>
    </div>
  );
}

function App(): JSX.Element {
  const at = route.value.view;
  const beside = at === 'race' || at === 'races';
  useEffect(() => {
    document.title = `${current()[0] || at} · Interloper`;
  });
  return (
    <>
      <Top />
      <div class={beside ? 'app' : 'app wide'}>
        {beside && <List selected={current()} />}
        <main>
          <Main />
        </main>
      </div>
      <footer class="keys">
        <span>
          <kbd>j</kbd> <kbd>k</kbd> race
        </span>
        <span>
          <kbd>x</kbd> {order() === 'run' ? 'other order' : 'this run'}
        </span>
        <span>
          <kbd>p</kbd> pick two
        </span>
        <span>
          <kbd>l</kbd> location
        </span>
        <span>
          <kbd>y</kbd> Markdown
        </span>
        <span>
          <kbd>?</kbd> all keys
        </span>
        <output>{copied.value || notice.value}</output>
      </footer>
      {help.value && <Help />}
    </>
  );
}

/** Looks whether the file of the run in sight has grown, and shows it again if so. */
async function watch(): Promise<void> {
  if (document.hidden) return;
  const asked = run.value;
  let runs: Listed[];
  try {
    runs = await poll(null);
    several.value = runs.length > 1;
    const state = runs[asked]?.state;
    notice.value = state === 'vanished' ? (runs[asked]?.error ?? '') : '';
    if (state !== 'changed') return;
    await poll(asked);
  } catch {
    notice.value = 'The explorer does not answer; start `interloper explore` again.';
    return;
  }
  forget();
  groups.value = await groupsOf(asked);
  // The views ask again when the address does.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Loads the groups of the run in sight, and shows the first of them if the address names none. */
function follow(): void {
  effect(() => {
    const asked = run.value;
    groupsOf(asked).then(
      (list) => {
        if (asked !== run.value) return;
        failure.value = null;
        groups.value = list;
      },
      (error) => {
        failure.value = error;
        groups.value = null;
      },
    );
  });

  // Without a race in the address, the first one of the list is shown.
  effect(() => {
    const first = route.value.view === 'races' ? listed.value[0] : undefined;
    if (first === undefined || !groups.value) return;
    history.replaceState(null, '', raceLink(groups.value.at(first)));
    dispatchEvent(new HashChangeEvent('hashchange'));
  });
  if (!isOffline()) setInterval(watch, 2000);
  watch();
  // Addresses of the static report lead on.
  effect(() => {
    const [kind, id] = route.value.anchor?.split(/-(.*)/) ?? [];
    const group = kind === 'group' ? (groups.value?.withId(Number(id)) ?? -1) : -1;
    if (kind === 'race' && id) location.replace(link('race', id));
    else if (group >= 0) location.replace(raceLink(groups.value!.at(group)));
  });
}

open().then(
  () => {
    follow();
    const root = document.getElementById('app')!;
    root.replaceChildren();
    render(<App />, root);
  },
  // What is in the file cannot be read: the static report stays.
  () => {},
);
