// The ranked groups: the list beside a race.
import { computed, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { leftOut, type RunView, view } from './api';
import { FACETS, type Facet, type Group, type Groups, type Which } from './groups';
import { Answer, raceLink, Rows, Sentence } from './parts';
import { adjust, route, run } from './route';

/** The groups of the run in sight, once they are there. */
export const groups = signal<Groups | null>(null);

function which(): Which {
  const asked = route.value.params.get('which');
  return asked === 'aside' || asked === 'all' ? asked : 'read';
}

/** What the list is narrowed to, as text, so that panning and paging do not filter again. */
const narrowed = computed(() => {
  const params = route.value.params;
  const facets = FACETS.filter((facet) => params.get(facet)).map((facet): [Facet, string] => [
    facet,
    params.get(facet)!,
  ]);
  return JSON.stringify([which(), facets]);
});

/** The places of the groups that the list shows, in the order of reading. */
export const listed = computed((): Uint32Array => {
  const [which, facets] = JSON.parse(narrowed.value);
  return groups.value?.listed(which, facets) ?? new Uint32Array();
});

function FacetChoice({ name, all }: { name: Facet; all: Groups }): JSX.Element | null {
  const choices = all.values(name);
  const chosen = route.value.params.get(name) ?? '';
  if (choices.length === 0) return null;
  return (
    <select
      aria-label={`Only one ${name}`}
      value={chosen}
      class={chosen && 'chosen'}
      onChange={(event) => adjust({ [name]: event.currentTarget.value || null })}
    >
      <option value="">{name}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

function Item({ group, rank, selected }: { group: Group; rank: number; selected: boolean }): JSX.Element {
  const self = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (selected) self.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <a class="group" ref={self} href={raceLink(group)} aria-current={selected}>
      <span class="rank">{rank}</span>
      <span class="where">
        <code>{group.location}</code>
        {group.races > 1 && <span class="n">{group.races} races</span>}
      </span>
      <span class="what">
        <Sentence text={group.title} />
      </span>
      <span class="meta">
        {group.replay?.[0] === 'harmful' && <span class="chip harm">▲ shown: {group.replay[1]}</span>}
        {group.replay && group.replay[0] !== 'harmful' && <span class="chip">replay: {group.replay[0]}</span>}
        {group.harmful && !group.replay && <span class="chip harm">▲ {group.labels[0]}</span>}
        {group.hints.map((hint) => (
          <span class="chip hint" key={hint}>
            {hint}
          </span>
        ))}
        {group.excuse ? <span>{group.excuse}</span> : <span>{group.files.join(' · ')}</span>}
        {group.baseline === 'new' && <span class="chip">new</span>}
      </span>
      {group.covers.length > 0 && <span class="covers">└ covers {group.covers.join(', ')}</span>}
    </a>
  );
}

/** The height of a group in the list, in pixels. */
const HEIGHT = 104;

/** Says why a list is empty, and where to go on. */
function empty(all: Groups): string {
  if (all.length === 0) return 'This recording has no races. Timeline, Events and Statistics show what it contains.';
  if (all.open === 0) return 'Nothing to read. Set aside lists the rest with reasons.';
  return 'No race has all of the chosen properties.';
}

const count = (number: number | null | undefined) => number?.toLocaleString('en') ?? '';

export function List({ selected }: { selected: [string, string] }): JSX.Element {
  const all = groups.value;
  const rows = listed.value;
  const selectedAt = useMemo(() => all?.find(selected[0], Number(selected[1])) ?? -1, [all, ...selected]);
  const tab = (name: Which, label: string) => (
    <button
      type="button"
      aria-pressed={which() === name}
      onClick={() => adjust({ which: name === 'read' ? null : name })}
    >
      {label}
    </button>
  );
  return (
    <aside class="list" aria-label="Groups of races">
      <Answer of={view<RunView>(String(run.value))}>
        {(shown) => shown.caveat && <p class="problem caveat">{shown.caveat}</p>}
      </Answer>
      <div class="seg" role="group" aria-label="Which races">
        {tab('read', `To read ${count(all?.open)}`)}
        {tab('aside', `Set aside ${count(all && all.length - all.open)}`)}
        {tab('all', `All ${count(all?.length)}`)}
      </div>
      <div class="facets">{all && FACETS.map((facet) => <FacetChoice key={facet} name={facet} all={all} />)}</div>
      {!all ? (
        <p class="wait dim">Loading…</p>
      ) : rows.length === 0 ? (
        <p class="empty dim">{empty(all)}</p>
      ) : (
        <Rows rows={rows} height={HEIGHT} label="Groups">
          {(place, i) => <Item group={all.at(place)} rank={i + 1} selected={place === selectedAt} />}
        </Rows>
      )}
      {leftOut().length > 0 && (
        <Answer of={view<RunView>(String(run.value))}>
          {(shown) => (
            <p class="left dim">
              {leftOut().join(' ')} <code>{shown.explore_command}</code> shows all.
            </p>
          )}
        </Answer>
      )}
    </aside>
  );
}
