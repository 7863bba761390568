// The timeline: events in lanes, drawn on a canvas, with the same content as a table for those who do not see it.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Events, events as load, picture, type RaceView } from './api';
import {
  draw,
  drawStrip,
  end,
  eventAt,
  firstAt,
  inSight,
  LABEL,
  LANE,
  PAGE,
  rows,
  type Scene,
  type Sight,
  start,
  TOP,
} from './drawing';
import { Answer } from './parts';
import { usePictures } from './pictures';
import { adjust, go, link, route, run } from './route';
import { order } from './race';

function Canvas({ table, race }: { table: Events; race: RaceView | null }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const params = route.value.params;
  const byTime = params.get('axis') === 'time' && table.at !== null;
  const count = table.begin.length;
  const whole: Sight = byTime
    ? { from: table.at![0] ?? 0, to: (table.at![count - 1] ?? 0) + 1 }
    : { from: 0, to: (table.end[count - 1] ?? 0) + 1 };
  const [a, b] = (params.get(byTime ? 'ms' : 'ops') ?? '').split('-').map(Number);
  const first: Sight = race && !byTime ? { from: race.window[0], to: race.window[1] } : whole;
  const sight: Sight = a !== undefined && b !== undefined && b > a ? { from: a, to: b } : first;
  const [focused, focus] = useState(-1);
  const strip = useRef<HTMLCanvasElement>(null);
  const pictures = usePictures();
  const [images] = useState(() => new Map<number, ImageBitmap>());
  const [, drawAgain] = useState(0);
  const top = TOP + (pictures.length > 0 ? PAGE : 0);
  const scene: Scene = { table, sight, byTime, race, focused, pictures, images, top, rows: [] };
  scene.rows = rows(table, race, Math.max(0, firstAt(scene, sight.from) - 8), firstAt(scene, sight.to));
  const height = top + (Math.max(...scene.rows, 0) + 1) * LANE + (race ? 34 : 0) + 22;
  const folded = scene.rows.filter((row) => row < 0).length;

  useEffect(() => {
    const redraw = () => {
      if (canvas.current) draw(canvas.current, scene);
      if (strip.current) drawStrip(strip.current, scene, whole);
    };
    redraw();
    for (const op of inSight(scene, canvas.current!.clientWidth))
      if (!images.has(op))
        picture(run.value, op).then(
          (image) => {
            images.set(op, image);
            drawAgain((count) => count + 1);
          },
          () => {},
        );
    const observer = new ResizeObserver(redraw);
    observer.observe(canvas.current!);
    addEventListener('theme', redraw);
    return () => {
      observer.disconnect();
      removeEventListener('theme', redraw);
    };
  });

  const look = (next: Sight) => {
    const span = Math.min(Math.max(next.to - next.from, byTime ? 0.5 : 4), whole.to - whole.from);
    const from = Math.min(Math.max(next.from, whole.from), whole.to - span);
    const shown = (place: number) => (byTime ? place.toFixed(1) : String(Math.round(place)));
    adjust({ [byTime ? 'ms' : 'ops']: `${shown(from)}-${shown(from + span)}` });
  };
  const zoom = (factor: number, middle = (sight.from + sight.to) / 2) =>
    look({ from: middle - (middle - sight.from) * factor, to: middle + (sight.to - middle) * factor });
  const move = (part: number) => {
    const by = (sight.to - sight.from) * part;
    look({ from: sight.from + by, to: sight.to + by });
  };
  const step = (by: 1 | -1) => {
    const lane = focused < 0 ? -1 : table.lane[focused]!;
    let i = focused < 0 ? firstAt(scene, sight.from) - (by === 1 ? 1 : 0) : focused;
    do i += by;
    while (i >= 0 && i < count && lane >= 0 && table.lane[i] !== lane);
    if (i < 0 || i >= count) return;
    show(i);
  };
  const show = (i: number) => {
    focus(i);
    if (start(scene, i) < sight.from || end(scene, i) > sight.to) {
      const span = sight.to - sight.from;
      look({ from: start(scene, i) - span / 2, to: start(scene, i) + span / 2 });
    }
  };
  /** Goes along the arrows: from an access to what led to it, and back. */
  const along = (by: 1 | -1) => {
    const chain = (side: RaceView['race']['first']) =>
      [side.op, ...side.causes.slice(0, 3).flatMap((cause) => (cause.op === null ? [] : [cause.op]))]
        .map((op) => eventAt(table, op))
        .reverse();
    const chains = race ? [chain(race.race.first), chain(race.race.second)] : [];
    const own = chains.find((chain) => chain.includes(focused)) ?? chains[0];
    if (!own) return;
    const at = own.includes(focused) ? own.indexOf(focused) + by : own.length - 1;
    const next = own[at];
    if (next !== undefined && next >= 0) show(next);
  };
  const keys: Record<string, () => void> = {
    w: () => zoom(0.6),
    s: () => zoom(1 / 0.6),
    a: () => move(-0.25),
    d: () => move(0.25),
    f: () => look(whole),
    ',': () => step(-1),
    '.': () => step(1),
    '[': () => along(-1),
    ']': () => along(1),
    Enter: () => focused >= 0 && go(link('event', table.event[focused]!)),
  };
  const hit = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const place = sight.from + ((event.clientX - box.left - LABEL) / (box.width - LABEL - 8)) * (sight.to - sight.from);
    const row = Math.floor((event.clientY - box.top - top) / LANE);
    for (let i = Math.min(count, firstAt(scene, place + 1e-6)) - 1; i >= 0 && i > count - 1e6; i--) {
      if (scene.rows[table.lane[i]!] === row && start(scene, i) <= place && end(scene, i) >= place) return i;
      if (start(scene, i) < sight.from && end(scene, i) < sight.from) break;
    }
    return -1;
  };
  const name = (i: number) =>
    `${table.names.at(table.name[i]!)}, ${table.lanes[table.lane[i]!]!.name}, operations ${table.begin[i]} to ${table.end[i]}`;
  const shown = firstAt(scene, sight.from);
  return (
    <>
      <div class="bar">
        {race ? <h2>Timeline</h2> : <h1>Timeline</h1>}
        <span class="mini" role="group" aria-label="Axis">
          <button type="button" aria-pressed={!byTime} onClick={() => adjust({ axis: null })}>
            order
          </button>
          <button
            type="button"
            aria-pressed={byTime}
            disabled={table.at === null}
            title={table.at === null ? 'This recording has no clock' : undefined}
            onClick={() => adjust({ axis: 'time' })}
          >
            time
          </button>
        </span>
        <span class="dim">
          {race && order() === 'other'
            ? 'an order the rules allow, not recorded'
            : byTime
              ? `${Math.round(sight.from)} to ${Math.round(sight.to)} ms`
              : `operations ${Math.round(sight.from)} to ${Math.round(sight.to)}`}
        </span>
        <span class="push dim">
          <kbd>a</kbd> <kbd>d</kbd> move <kbd>w</kbd> <kbd>s</kbd> zoom <kbd>[</kbd> <kbd>]</kbd> along an arrow{' '}
          <kbd>f</kbd> all
        </span>
      </div>
      <canvas class="strip" ref={strip} role="img" aria-label="The whole run, with the part that is in sight" />
      <div
        class="lanes"
        style={{ height: `${height}px` }}
        tabIndex={0}
        role="application"
        aria-label="Timeline. Keys: a and d move, w and s zoom, comma and full stop go to the next event, Enter opens it."
        onKeyDown={(event) => {
          const action = keys[event.key];
          if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            event.stopPropagation();
            action();
          }
        }}
        onWheel={(event) => {
          if (!event.ctrlKey) return;
          event.preventDefault();
          zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2);
        }}
        onClick={(event) => focus(hit(event))}
        onDblClick={(event) => {
          const i = hit(event);
          if (i >= 0) go(link('event', table.event[i]!));
        }}
      >
        <canvas ref={canvas} />
      </div>
      <p class="sr" aria-live="polite">
        {focused >= 0 ? name(focused) : ''}
      </p>
      {focused >= 0 && (
        <p class="focused">
          <a href={link('event', table.event[focused]!)}>{name(focused)}</a>
        </p>
      )}
      <details class="links">
        <summary>{folded > 0 ? `As a table; ${folded} quiet lanes are not drawn` : 'As a table'}</summary>
        <table>
          <thead>
            <tr>
              <th>event</th>
              <th>lane</th>
              <th>operations</th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: Math.min(60, count - shown) }, (_, i) => shown + i).map((i) => (
              <tr key={i}>
                <td>
                  <a href={link('event', table.event[i]!)}>{table.names.at(table.name[i]!)}</a>
                </td>
                <td>{table.lanes[table.lane[i]!]!.name}</td>
                <td>
                  {table.begin[i]} to {table.end[i]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

export function Timeline({ race }: { race: RaceView | null }): JSX.Element {
  return (
    <section class="card" aria-label="Timeline">
      <Answer of={load(run.value)}>
        {(table) =>
          table.begin.length === 0 ? (
            <p class="none dim">The recording has no events.</p>
          ) : (
            <Canvas table={table} race={race} />
          )
        }
      </Answer>
    </section>
  );
}
