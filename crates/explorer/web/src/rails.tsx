// Rails: the happens-before paths to two operations, in the order of the run.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RailsView, Row } from './api';
import { Op, Rule, Sentence } from './parts';

/** The place of each rail, in pixels. */
const X = { 0: 10, 1: 32, 2: 10 } as const;

/** Draws the part of the rails beside one row. */
function Mark({ rows, at }: { rows: Row[]; at: number }): JSX.Element {
  const row = rows[at]!;
  const lives = (rail: 1 | 2, from: number, to: number) => rows.slice(from, to).some((other) => other.rail === rail);
  const forks = rows.some((other) => other.rail === 0);
  const lines = ([1, 2] as const).map((rail) => {
    const above = lives(rail, 0, at) || (forks && at > 0);
    const below = lives(rail, at + 1, rows.length);
    const own = row.rail === rail;
    const top = above && (below || own) ? 0 : 11;
    const bottom = below && (above || own || row.rail === 0) ? 22 : 11;
    if (top === bottom) return null;
    if (row.rail === 0 && rail === 1) return <path key={rail} class="rail1" d={`M${X[0]} 11H24Q32 11 32 19V22`} />;
    return <path key={rail} class={`rail${rail}`} d={`M${X[rail]} ${top}V${bottom}`} />;
  });
  const end = row.rail !== 0 && !lives(row.rail, at + 1, rows.length);
  const x = X[row.rail];
  return (
    <svg viewBox="0 0 46 22" class="mark" aria-hidden="true">
      {lines}
      {!end && <circle class={`stop${row.rail}`} cx={x} cy={11} r={row.rail === 0 ? 4.5 : 3.5} />}
      {end && row.rail === 1 && <circle class="end1" cx={x} cy={11} r={7} />}
      {end && row.rail === 2 && (
        <rect class="end2" x={x - 5.6} y={5.4} width={11.2} height={11.2} rx={2} transform={`rotate(45 ${x} 11)`} />
      )}
      {end && (
        <text x={x} y={14.6} class="number">
          {row.rail}
        </text>
      )}
    </svg>
  );
}

/** The shortest run of steps by one rule that is folded. */
const FOLDED = 4;

/** A row, or how many rows of one rail and rule are folded after the row at `at`. */
type Shown = { at: number; folded: number };

/** Folds what lies between the first and the last of many successive steps by one rule on one rail. */
export function folded(rows: Row[]): Shown[] {
  const shown: Shown[] = [];
  for (let at = 0; at < rows.length; ) {
    const { rail, rule } = rows[at]!;
    let end = at + 1;
    while (end < rows.length && rule !== null && rows[end]!.rail === rail && rows[end]!.rule === rule) end++;
    if (end - at >= FOLDED) shown.push({ at, folded: 0 }, { at, folded: end - at - 2 }, { at: end - 1, folded: 0 });
    else for (let i = at; i < end; i++) shown.push({ at: i, folded: 0 });
    at = end;
  }
  return shown;
}

export function Rails({ rails }: { rails: RailsView }): JSX.Element {
  const { relation } = rails;
  const [all, setAll] = useState(false);
  const shown = all ? rails.rows.map((_, at) => ({ at, folded: 0 })) : folded(rails.rows);
  const rows = shown.map(({ at }) => rails.rows[at]!);
  return (
    <>
      <ol class="rows">
        {rows.map((row, i) => (
          <li key={`${row.rail} ${row.op} ${shown[i]!.folded}`} title={shown[i]!.folded > 0 ? undefined : row.line}>
            <Mark rows={rows} at={i} />
            {shown[i]!.folded > 0 ? (
              <button type="button" class="what" onClick={() => setAll(true)}>
                {shown[i]!.folded} more like this
              </button>
            ) : (
              <span class="what">
                <Sentence text={row.text} /> <Op op={row.op} />
              </span>
            )}
            {row.rule ? <Rule name={row.rule} /> : row.rail === 0 && <span class="dim">last thing both depend on</span>}
          </li>
        ))}
      </ol>
      {relation === 'unordered' && (
        <div class="miss">
          <p>
            <b>No rule leads from one rail to the other.</b>{' '}
            {rails.other_ancestors > 0 && `${rails.other_ancestors} other operations also come last before both.`}
            {rows.every((row) => row.rail !== 0) && 'No operation happens before both.'}
          </p>
          <ul>
            {rails.misses.map((miss) => (
              <li key={miss.rule}>
                <Rule name={miss.rule} /> <Sentence text={miss.text} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
