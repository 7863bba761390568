// The ranked groups: the list beside a race.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Group, leftOut, type RunView, view } from './api';
import { Answer, raceLink, Rows, Sentence } from './parts';
import { adjust, route, run } from './route';

type Which = 'read' | 'aside' | 'all';

/** The facets by which the list can be narrowed. */
const FACETS = ['class', 'label', 'hint', 'file'] as const;

export const groups = signal<Group[]>([]);

function values(group: Group, facet: (typeof FACETS)[number]): string[] {
  if (facet === 'class') return [group.class];
  if (facet === 'label') return group.labels;
  if (facet === 'hint') return group.hints;
  return group.files.map((file) => file.replace(/:\d+$/, ''));
}

function which(): Which {
  const asked = route.value.params.get('which');
  return asked === 'aside' || asked === 'all' ? asked : 'read';
}

function isIn(group: Group, which: Which): boolean {
  return which === 'all' || (group.standing === 'open') === (which === 'read');
}

/** The groups that the list shows, in the order of reading. */
export function listed(): Group[] {
  const params = route.value.params;
  const facets = FACETS.filter((facet) => params.get(facet));
  return groups.value.filter(
    (group) => isIn(group, which()) && facets.every((facet) => values(group, facet).includes(params.get(facet)!)),
  );
}

function Facet({ name, all }: { name: (typeof FACETS)[number]; all: Group[] }): JSX.Element | null {
  const choices = [...new Set(all.flatMap((group) => values(group, name)))].sort();
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
function empty(all: Group[]): string {
  if (all.length === 0) return 'This recording has no races. Timeline, Events and Statistics show what it contains.';
  if (all.every((group) => group.standing !== 'open')) return 'Nothing to read. Set aside lists the rest with reasons.';
  return 'No race has all of the chosen properties.';
}

export function List({ selected }: { selected: [string, string] }): JSX.Element {
  const all = groups.value;
  const rows = listed();
  const open = all.filter((group) => group.standing === 'open').length;
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
        {tab('read', `To read ${open}`)}
        {tab('aside', `Set aside ${all.length - open}`)}
        {tab('all', `All ${all.length}`)}
      </div>
      <div class="facets">
        {FACETS.map((facet) => (
          <Facet key={facet} name={facet} all={all} />
        ))}
      </div>
      {rows.length === 0 ? (
        <p class="empty dim">{empty(all)}</p>
      ) : (
        <Rows rows={rows} height={HEIGHT} label="Groups">
          {(group, i) => (
            <Item
              group={group}
              rank={i + 1}
              selected={group.fingerprint === selected[0] && group.nth === Number(selected[1])}
            />
          )}
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
