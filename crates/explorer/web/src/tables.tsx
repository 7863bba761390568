// Views of everything besides races: locations, events, operations, statistics, comparisons, pages.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  type AccessRow,
  type Block,
  type Diff,
  type EventLink,
  type EventView,
  type Events,
  events,
  type Listed,
  type LocationRow,
  type Operation,
  type Overview,
  type Place,
  type RailsView,
  type Statistics,
  type Suppression,
  view,
} from './api';
import { Answer, At, Op, RaceLinks, Rows, Sentence } from './parts';
import { Rails } from './rails';
import { adjust, go, link, route, run } from './route';

function Filter({
  label,
  value,
  onInput,
}: {
  label: string;
  value: string;
  onInput: (text: string) => void;
}): JSX.Element {
  return (
    <input
      class="filter"
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

export function Locations(): JSX.Element {
  const query = route.value.params.get('q') ?? '';
  return (
    <Answer of={view<LocationRow[]>(`${run.value}/locations`)}>
      {(all) => {
        const rows = all.filter((row) => row.name.toLowerCase().includes(query.toLowerCase()));
        return (
          <div class="card page">
            <div class="bar">
              <h1>Locations</h1>
              <Filter label="Part of a name" value={query} onInput={(q) => adjust({ q: q || null })} />
              <span class="dim">
                {rows.length} of {all.length}
              </span>
            </div>
            <Rows rows={rows} height={26} label="Locations">
              {(row) => (
                <a class="line" href={link('location', row.location)}>
                  <code>{row.name}</code>
                  <span class="push dim">
                    {row.open > 0 ? `${row.open} open, ` : ''}
                    {row.races} races · {row.writes} writes, {row.reads} reads
                  </span>
                </a>
              )}
            </Rows>
          </div>
        );
      }}
    </Answer>
  );
}

export function Location(): JSX.Element {
  const { id, params } = route.value;
  const selected = params.get('with');
  const query = selected === null ? '' : `?with=${selected}`;
  return (
    <Answer
      of={Promise.all([
        view<LocationRow[]>(`${run.value}/locations`),
        view<AccessRow[]>(`${run.value}/locations/${id}/accesses${query}`),
      ])}
    >
      {([all, accesses]) => (
        <div class="card page">
          <div class="bar">
            <h1>
              <code>{all.find((row) => row.location === Number(id))?.name ?? 'A location'}</code>
            </h1>
            <span class="dim">
              {selected === null
                ? 'Choose an access to see what is unordered with it.'
                : `Compared with operation ${selected}`}
            </span>
          </div>
          <Rows rows={accesses} height={26} label="Accesses">
            {(row) => (
              <a
                class={row.relation === 'unordered' ? 'line unordered' : 'line'}
                href={link('location', id, { with: row.op })}
              >
                <span class="op">{row.op}</span> <b>{row.kind}</b> <code class="value">{row.value ?? ''}</code>
                <span class="dim">
                  <Sentence text={row.text} />
                </span>
                <span class="push">
                  <At source={row.source} />{' '}
                  {row.relation && (
                    <span class={row.relation === 'unordered' ? 'chip hint' : 'chip'}>{row.relation}</span>
                  )}
                </span>
              </a>
            )}
          </Rows>
        </div>
      )}
    </Answer>
  );
}

function EventList({ table }: { table: Events }): JSX.Element {
  const query = (route.value.params.get('q') ?? '').toLowerCase();
  const rows = useMemo(() => {
    const named = table.names.all().map((name) => name.toLowerCase().includes(query));
    const typed = table.types.map((type) => type.toLowerCase().includes(query));
    return table.begin.map((_, i) => i).filter((i) => named[table.name[i]!] || typed[table.type[i]!]);
  }, [table, query]);
  return (
    <div class="card page">
      <div class="bar">
        <h1>Events</h1>
        <Filter
          label="Part of a name or type"
          value={route.value.params.get('q') ?? ''}
          onInput={(q) => adjust({ q: q || null })}
        />
        <span class="dim">
          {rows.length} of {table.begin.length}
        </span>
      </div>
      <Rows rows={rows} height={26} label="Events">
        {(i) => (
          <a class="line" href={link('event', table.event[i]!)}>
            <span class="op">{table.begin[i]}</span> <code>{table.names.at(table.name[i]!)}</code>
            <span class="dim">{table.types[table.type[i]!] ?? ''}</span>
            <span class="push dim">{table.lanes[table.lane[i]!]!.name}</span>
          </a>
        )}
      </Rows>
    </div>
  );
}

export function EventsPage(): JSX.Element {
  return <Answer of={events(run.value)}>{(table) => <EventList table={table} />}</Answer>;
}

function Links({ title, links }: { title: string; links: EventLink[] }): JSX.Element | null {
  if (links.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul class="plain">
        {links.map((other) => (
          <li key={other.op}>
            {other.event === null ? (
              other.text
            ) : (
              <a href={link('event', other.event)}>
                <Sentence text={other.text} />
              </a>
            )}{' '}
            <Op op={other.op} /> <At source={other.source} />
          </li>
        ))}
      </ul>
    </>
  );
}

export function EventPage(): JSX.Element {
  return (
    <Answer of={view<EventView>(`${run.value}/events/${route.value.id}`)}>
      {(event) => (
        <div class="card page text">
          <h1>
            <Sentence text={event.noun} />
          </h1>
          <p class="dim">
            {[
              event.of_type,
              event.thread && `thread ${event.thread}`,
              event.begin !== null && `operations ${event.begin} to ${event.end ?? 'the end'}`,
              event.at !== null && `${(event.at / 1e6).toFixed(1)} ms`,
            ]
              .filter(Boolean)
              .join(' · ')}{' '}
            · {event.writes} writes, {event.reads} reads
          </p>
          <Links title="Posted in" links={event.post ? [event.post] : []} />
          <Links title="Posts" links={event.posts} />
          <RaceLinks title="Races" races={event.races} />
          {event.begin !== null && (
            <p>
              <a
                href={link('timeline', '', {
                  ops: `${Math.max(0, event.begin - 60)}-${(event.end ?? event.begin) + 60}`,
                })}
              >
                In the timeline
              </a>{' '}
              · <a href={link('operation', event.begin)}>Its operations</a>
            </p>
          )}
        </div>
      )}
    </Answer>
  );
}

/** The number of operations that are shown before and after one. */
const AROUND = 30;

export function OperationPage(): JSX.Element {
  const op = Number(route.value.id);
  const picked = route.value.params.get('pick');
  return (
    <Answer of={view<Operation[]>(`${run.value}/operations?from=${Math.max(0, op - AROUND)}&to=${op + AROUND}`)}>
      {(rows) => (
        <div class="card page">
          <div class="bar">
            <h1>Operation {op}</h1>
            {picked === null ? (
              <a class="chip" href={link('operation', op, { pick: op })}>
                pick it, then choose another
              </a>
            ) : (
              <span class="dim">Choose an operation to see how it is ordered with {picked}.</span>
            )}
          </div>
          <ol class="ops">
            {rows.map((row) => (
              <li key={row.op} aria-current={row.op === op}>
                <a href={picked === null ? link('operation', row.op) : link('pick', `${picked},${row.op}`)}>
                  <span class="op">{row.op}</span> <code>{row.line}</code>
                </a>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Answer>
  );
}

export function PickPage(): JSX.Element {
  const [a = '', b = ''] = route.value.id.split(',');
  const [typed, type] = useState({ a, b });
  return (
    <div class="card page text">
      <h1>How are two operations ordered?</h1>
      <form
        class="pick"
        onSubmit={(event) => {
          event.preventDefault();
          go(link('pick', `${typed.a},${typed.b}`));
        }}
      >
        <input
          aria-label="First operation"
          inputMode="numeric"
          value={typed.a}
          onInput={(event) => type({ ...typed, a: event.currentTarget.value })}
        />
        <input
          aria-label="Second operation"
          inputMode="numeric"
          value={typed.b}
          onInput={(event) => type({ ...typed, b: event.currentTarget.value })}
        />
        <button type="submit">Show</button>
      </form>
      {a !== '' && b !== '' && (
        <Answer of={view<RailsView>(`${run.value}/rails?a=${a}&b=${b}`)}>
          {(rails) => (
            <>
              <p>
                {rails.relation === 'before' && `${a} happens before ${b} in every run.`}
                {rails.relation === 'after' && `${b} happens before ${a} in every run.`}
                {rails.relation === 'same' && 'That is one operation.'}
                {rails.relation === 'unordered' && `Nothing orders ${a} and ${b}.`}
              </p>
              <Rails rails={rails} />
            </>
          )}
        </Answer>
      )}
    </div>
  );
}

function Counts({ title, counts }: { title: string; counts: Record<string, unknown> }): JSX.Element | null {
  const rows = Object.entries(counts).filter(([, count]) => typeof count === 'number');
  if (rows.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <dl class="counts">
        {rows.map(([name, count]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{(count as number).toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export function StatisticsPage(): JSX.Element {
  return (
    <Answer of={view<Statistics>(`${run.value}/statistics`)}>
      {(all) => (
        <div class="card page text">
          <h1>Statistics</h1>
          {all.stats && <Counts title="The recording" counts={all.stats} />}
          {all.stats && <Counts title="Operations" counts={all.stats.operations as Record<string, number>} />}
          <Counts title="Locations by class" counts={all.classes} />
          <Counts title="Races by label" counts={all.labels} />
          <h2>Diagnostics</h2>
          {all.diagnostics.length === 0 ? <p>Nothing is wrong with the recording.</p> : null}
          <ul class="plain">
            {all.diagnostics.slice(0, 200).map((diagnostic, i) => (
              <li key={i}>
                <b>{diagnostic.severity}</b> <code>{diagnostic.code}</code> at {diagnostic.at}: {diagnostic.message}
              </li>
            ))}
          </ul>
          {all.suppressions.length > 0 && <h2>Suppressions</h2>}
          <ul class="plain">
            {all.suppressions.map((entry) => (
              <li key={entry.matches}>
                <code>{entry.matches}</code>: {entry.state}, {entry.races} races. {entry.reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Answer>
  );
}

/** Where two runs take different orders of the same events for the first time. */
function Part({ diff, runs }: { diff: Diff; runs: [number, number] }): JSX.Element {
  const { parting, common } = diff;
  if (common === null) return <p class="dim">A report alone has no events to compare.</p>;
  if (parting === null)
    return (
      <p>
        {common === 0
          ? 'The runs have no event in common.'
          : `The ${common.toLocaleString('en')} events that both runs have come in the same order.`}
      </p>
    );
  const place = (run: number, at: Place) => (
    <>
      <a href={`#/${run}/event/${at.event}`}>
        <Sentence text={at.text} />
      </a>{' '}
      <a class="op" href={`#/${run}/operation/${at.begin}`}>
        {at.begin}
      </a>
    </>
  );
  const [first, second] = parting.next;
  return (
    <section>
      <h2>The first different order</h2>
      <p>
        {parting.before ? <>After {place(runs[0], parting.before)}, </> : 'From the start, '}
        the first run goes on with {place(runs[0], first.here)}, which comes later in the second run (
        {first.there.begin}). The second run goes on with {place(runs[1], second.here)}, which comes later in the first
        run ({second.there.begin}).
      </p>
    </section>
  );
}

export function RunsPage(): JSX.Element {
  return (
    <Answer of={Promise.all([view<Listed[]>('runs'), view<Overview>('overview')])}>
      {([runs, overview]) => (
        <div class="card page text">
          <h1>{runs.length} runs</h1>
          <ul class="plain">
            {runs.map((entry) => (
              <li key={entry.id}>
                <a href={`#/${entry.id}/races`}>{entry.name}</a>{' '}
                <span class="dim">{overview.failed.find(([run]) => run === entry.id)?.[1]}</span>
              </li>
            ))}
          </ul>
          <h2>Races, and in how many runs they appear</h2>
          <ul class="plain">
            {overview.races.slice(0, 500).map((race) => (
              <li key={race.fingerprint}>
                <span class="chip">
                  {race.runs.length} of {runs.length}
                </span>{' '}
                <a href={`#/${race.runs[0]}/race/${race.fingerprint}`}>
                  <Sentence text={race.title} />
                </a>{' '}
                <span class="dim">
                  {race.open ? '' : 'set aside · '}
                  {race.runs.length === runs.length
                    ? 'all runs'
                    : race.runs
                        .slice(0, 5)
                        .map((id) => runs[id]?.name)
                        .join(', ')}
                </span>
              </li>
            ))}
          </ul>
          {overview.races.length > 500 && <p class="dim">{overview.races.length - 500} more races are not listed.</p>}
        </div>
      )}
    </Answer>
  );
}

/** Returns text as a string of TOML. */
function toml(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

export function SuppressPage(): JSX.Element {
  const { id, params } = route.value;
  const keys = params.get('keys') ?? 'fingerprint';
  const [reason, setReason] = useState('');
  const [expires, setExpires] = useState('');
  return (
    <Answer of={view<Suppression>(`${run.value}/suppression?race=${id}&keys=${keys}`)}>
      {(shown) => {
        const choose = (name: string, chosen: boolean) => {
          const next = shown.keys.filter((key) => (key.name === name ? chosen : key.chosen)).map((key) => key.name);
          if (next.length > 0) adjust({ keys: next.join(',') });
        };
        const lines = ['[[suppress]]', ...shown.lines, `reason = ${toml(reason || '…')}`];
        if (/^\d{4}-\d{2}-\d{2}$/.test(expires)) lines.push(`expires = ${expires}`);
        return (
          <div class="card page text">
            <h1>Suppress this race</h1>
            <p class="dim">
              Put this table into <code>interloper.toml</code>. It matches races for which all chosen keys match.
            </p>
            <fieldset class="keys-of">
              <legend>Keys</legend>
              {shown.keys.map((key) => (
                <label key={key.name}>
                  <input
                    type="checkbox"
                    checked={key.chosen}
                    onChange={(event) => choose(key.name, event.currentTarget.checked)}
                  />
                  {key.name} <code>{key.value}</code>
                </label>
              ))}
            </fieldset>
            <p class="pick">
              <input
                aria-label="Reason"
                placeholder="Reason"
                value={reason}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
              <input
                aria-label="Last day"
                type="date"
                value={expires}
                onInput={(event) => setExpires(event.currentTarget.value)}
              />
            </p>
            <pre class="toml">{lines.join('\n')}</pre>
            <p>{shown.count === 1 ? 'It matches 1 race.' : `It matches ${shown.count.toLocaleString('en')} races.`}</p>
            <RaceLinks title="Races" races={shown.races} />
          </div>
        );
      }}
    </Answer>
  );
}

export function ComparePage(): JSX.Element {
  const { params } = route.value;
  const [a, b] = [params.get('a') ?? '0', params.get('b') ?? '1'];
  const choose = (name: string, value: string, runs: Listed[]) => (
    <select
      aria-label={`Run ${name}`}
      value={value}
      onChange={(event) => adjust({ [name]: event.currentTarget.value })}
    >
      {runs.map((entry) => (
        <option key={entry.id} value={entry.id}>
          {entry.name}
        </option>
      ))}
    </select>
  );
  const list = (title: string, races: Diff['new']) => (
    <section>
      <h2>
        {title}: {races.length}
      </h2>
      <ul class="plain">
        {races.map((race) => (
          <li key={race.fingerprint}>
            <a class="op" href={`#/${title === 'Gone' ? a : b}/race/${race.fingerprint}`}>
              {race.fingerprint}
            </a>{' '}
            {race.title}
          </li>
        ))}
      </ul>
    </section>
  );
  return (
    <Answer of={view<Listed[]>('runs')}>
      {(runs) =>
        runs.length < 2 ? (
          <p class="card page text">
            There is one run. <code>interloper explore FOLDER</code> explores all recordings and reports of a folder,
            and compares two of them here.
          </p>
        ) : (
          <div class="card page text">
            <h1>
              From {choose('a', a, runs)} to {choose('b', b, runs)}
            </h1>
            <Answer of={view<Diff>(`diff?a=${a}&b=${b}`)}>
              {(diff) => (
                <>
                  <Part diff={diff} runs={[Number(a), Number(b)]} />
                  {list('New', diff.new)}
                  {list('Gone', diff.gone)}
                  {list('Unchanged', diff.unchanged)}
                </>
              )}
            </Answer>
          </div>
        )
      }
    </Answer>
  );
}

export function ExplainPage(): JSX.Element {
  return (
    <Answer of={view<Block[]>(`explain/${encodeURIComponent(route.value.id)}`)}>
      {(blocks) => (
        <div class="card page text">
          {blocks.map((block, i) => {
            const text = typeof block.text === 'string' ? block.text : '';
            if (block.kind === 'heading') return i === 0 ? <h1 key={i}>{text}</h1> : <h2 key={i}>{text}</h2>;
            if (block.kind === 'code') return <pre key={i}>{text}</pre>;
            if (block.kind === 'row' && typeof block.text !== 'string')
              return (
                <p class="cells" key={i}>
                  {block.text.map((cell, j) => (
                    <span key={j}>
                      <Sentence text={cell} />
                    </span>
                  ))}
                </p>
              );
            return (
              <p class={block.kind} key={i}>
                <Sentence text={text} />
              </p>
            );
          })}
        </div>
      )}
    </Answer>
  );
}
