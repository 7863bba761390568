// Small parts that several views use.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, type RaceLink, type Source } from './api';
import { link } from './route';

/** Shows a failure with what to do. */
export function Problem({ error }: { error: unknown }): JSX.Element {
  const hint = error instanceof Failure ? error.hint : '';
  return (
    <div class="problem" role="alert">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {hint && <p class="dim">{hint}</p>}
    </div>
  );
}

/** Calls `children` with the answer to a request when it is there. */
export function Answer<T>(props: { of: Promise<T>; children: (answer: T) => ComponentChildren }): JSX.Element {
  const [state, set] = useState<{ of: Promise<T>; answer?: T; error?: unknown }>({ of: props.of });
  useEffect(() => {
    let current = true;
    props.of.then(
      (answer) => current && set({ of: props.of, answer }),
      (error) => current && set({ of: props.of, error }),
    );
    return () => {
      current = false;
    };
  }, [props.of]);
  if (state.error !== undefined && state.of === props.of) return <Problem error={state.error} />;
  // The answer before stays until the next one is there, so that the page does not flicker.
  if (state.answer === undefined) return <p class="wait dim">Loading…</p>;
  return <>{props.children(state.answer)}</>;
}

/** Text in which backquotes mark names. */
export function Sentence({ text }: { text: string }): JSX.Element {
  const parts = text.split('`');
  return <>{parts.map((part, i) => (i % 2 === 1 && i < parts.length - 1 ? <code key={i}>{part}</code> : part))}</>;
}

export function Rule({ name }: { name: string }): JSX.Element {
  return (
    <a class="rule" href={link('explain', name)}>
      {name}
    </a>
  );
}

export function Op({ op }: { op: number }): JSX.Element {
  return (
    <a class="op" href={link('operation', op)}>
      {op}
    </a>
  );
}

export function At({ source }: { source: Source | null }): JSX.Element | null {
  if (source === null) return null;
  const file = source.file.split('/').at(-1);
  return (
    <span class="m dim" title={`${source.file}:${source.line}`}>
      {file}:{source.line}
    </span>
  );
}

/** The address of a race. */
export function raceLink(race: { fingerprint: string; nth: number }): string {
  return link('race', race.nth === 1 ? race.fingerprint : `${race.fingerprint}~${race.nth}`);
}

export function RaceLinks({ title, races }: { title: string; races: RaceLink[] }): JSX.Element | null {
  if (races.length === 0) return null;
  return (
    <details class="links">
      <summary>
        {title}: {races.length}
      </summary>
      <ul>
        {races.map((race) => (
          <li key={`${race.fingerprint} ${race.nth}`}>
            <a href={raceLink(race)}>
              <code>{race.location}</code>
            </a>{' '}
            <span class="dim">{race.standing}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A list of equal rows, of which only those in sight are in the document. */
export function Rows<T>(props: {
  rows: { length: number; slice(from: number, to: number): Iterable<T> };
  height: number;
  label: string;
  children: (row: T, index: number) => ComponentChildren;
}): JSX.Element {
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / props.height) - 20);
  const shown = [...props.rows.slice(first, first + 120)];
  return (
    <div
      class="rowlist"
      role="list"
      aria-label={props.label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: `${props.rows.length * props.height}px`, position: 'relative' }}>
        {shown.map((row, i) => (
          <div
            role="listitem"
            class="rowitem"
            key={first + i}
            style={{ transform: `translateY(${(first + i) * props.height}px)`, height: `${props.height}px` }}
          >
            {props.children(row, first + i)}
          </div>
        ))}
      </div>
    </div>
  );
}
