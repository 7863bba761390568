// The timeline: events in lanes, drawn on a canvas, with the same content as a table for those who do not see it.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Events, events as load, type RaceView } from './api';
import { Answer } from './parts';
import { adjust, go, link, route, run } from './route';
import { order } from './race';

/** The sizes of the drawing, in pixels. */
const LABEL = 96;
const LANE = 40;
const BOX = 20;
const TOP = 26;

/** The number of lanes that are drawn before quiet ones are folded. */
const LANES = 12;

/** The part of the run in sight, in operations or milliseconds. */
interface Sight {
  from: number;
  to: number;
}

interface Scene {
  table: Events;
  sight: Sight;
  /** For each lane the row in which it is drawn, or -1 if it is folded. */
  rows: number[];
  byTime: boolean;
  race: RaceView | null;
  focused: number;
}

function start(scene: Scene, i: number): number {
  return scene.byTime ? scene.table.at![i]! : scene.table.begin[i]!;
}

function end(scene: Scene, i: number): number {
  if (!scene.byTime) return scene.table.end[i]! + 1;
  const next = scene.table.at![i + 1];
  return next === undefined || Number.isNaN(next) ? scene.table.at![i]! : next;
}

/** Returns the index of the first event that begins at or after a place. */
function firstAt(scene: Scene, place: number): number {
  let low = 0;
  let high = scene.table.begin.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start(scene, middle) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the lanes that are drawn: those of the race and the busiest in sight. */
function rows(table: Events, race: RaceView | null, from: number, to: number): number[] {
  const busy = new Array<number>(table.lanes.length).fill(0);
  for (let i = 0; i < table.begin.length; i++) {
    if (table.end[i]! >= from && table.begin[i]! < to) busy[table.lane[i]!]!++;
    if (race && (table.event[i] === race.events[0] || table.event[i] === race.events[1]))
      busy[table.lane[i]!] = Infinity;
  }
  const shown = busy.map((_, lane) => lane).filter((lane) => busy[lane]! > 0);
  shown.sort((a, b) => busy[b]! - busy[a]!);
  const kept = new Set(shown.slice(0, LANES));
  let row = 0;
  return busy.map((_, lane) => (kept.has(lane) ? row++ : -1));
}

/** The colours of the theme. */
function colours(canvas: HTMLCanvasElement): (name: string) => string {
  const style = getComputedStyle(canvas);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

function draw(canvas: HTMLCanvasElement, scene: Scene): void {
  const { table, sight, race } = scene;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const c = canvas.getContext('2d')!;
  c.scale(scale, scale);
  const colour = colours(canvas);
  const per = (width - LABEL - 8) / Math.max(1e-9, sight.to - sight.from);
  const x = (place: number) => LABEL + (place - sight.from) * per;
  c.font = '11px system-ui, sans-serif';
  c.textBaseline = 'middle';
  // The grid, at round numbers.
  const step = 10 ** Math.ceil(Math.log10((sight.to - sight.from) / 8 || 1));
  const stride = (sight.to - sight.from) / step < 3 ? step / 5 : step;
  for (let at = Math.ceil(sight.from / stride) * stride; at < sight.to; at += stride) {
    c.fillStyle = colour('hair');
    c.fillRect(x(at), TOP - 6, 1, height - TOP);
    c.fillStyle = colour('dim');
    c.fillText(scene.byTime ? `${Math.round(at)} ms` : String(Math.round(at)), x(at) + 3, height - 8);
  }
  scene.rows.forEach((row, lane) => {
    if (row < 0) return;
    const y = TOP + row * LANE;
    c.fillStyle = colour('line');
    c.fillRect(0, y + LANE - 4, width, 1);
    c.fillStyle = colour('ink');
    c.save();
    c.beginPath();
    c.rect(0, y, LABEL - 6, LANE);
    c.clip();
    c.fillText(table.lanes[lane]!.name, 8, y + LANE / 2 - 3);
    c.restore();
  });
  c.save();
  c.beginPath();
  c.rect(LABEL, 0, width - LABEL, height);
  c.clip();
  const other = race !== null && order() === 'other';
  // In the other order the first access moves behind the second.
  const behind = race === null ? 0 : race.race.second.op - race.race.first.op + 2;
  const side = (i: number) =>
    race === null ? 0 : table.event[i] === race.events[0] ? 1 : table.event[i] === race.events[1] ? 2 : 0;
  const shift = (i: number) => (other && side(i) === 1 ? behind : 0);
  let last = new Array<number>(table.lanes.length).fill(-1);
  const from = Math.max(0, firstAt(scene, sight.from) - 64);
  for (let i = from; i < table.begin.length && start(scene, i) < sight.to; i++) {
    const row = scene.rows[table.lane[i]!]!;
    if (row < 0) continue;
    const left = x(start(scene, i) + shift(i));
    const right = Math.max(left + 1, x(end(scene, i) + shift(i)) - 1);
    // Events that share a pixel are drawn once.
    if (side(i) === 0 && right <= last[table.lane[i]!]! + 0.5) continue;
    last[table.lane[i]!] = right;
    const y = TOP + row * LANE + (LANE - BOX) / 2 - 4;
    c.fillStyle = colour(side(i) === 1 ? 'first' : side(i) === 2 ? 'second' : 'box');
    c.fillRect(left, y, right - left, BOX);
    if (i === scene.focused) {
      c.strokeStyle = colour('accent');
      c.lineWidth = 2;
      c.strokeRect(left - 1, y - 1, right - left + 2, BOX + 2);
    }
    if (right - left > 34) {
      c.fillStyle = colour(side(i) ? 'card' : 'box-ink');
      c.save();
      c.beginPath();
      c.rect(left, y, right - left, BOX);
      c.clip();
      c.fillText(table.names[table.name[i]!]!, left + 4, y + BOX / 2);
      c.restore();
    }
  }
  last = [];
  if (race && !scene.byTime) access(c, colour, scene, x, other ? behind : 0);
  c.restore();
}

/** Draws the arrows that lead to the two accesses, and the accesses themselves. */
function access(
  c: CanvasRenderingContext2D,
  colour: (name: string) => string,
  scene: Scene,
  x: (place: number) => number,
  moved: number,
): void {
  const { table, race } = scene;
  const y = (event: number | null) => {
    const i = table.event.indexOf(event ?? -1);
    const row = i < 0 ? -1 : scene.rows[table.lane[i]!]!;
    return row < 0 ? TOP : TOP + row * LANE + LANE / 2 - 4;
  };
  const eventAt = (op: number) => {
    let i = firstAt({ ...scene, byTime: false }, op + 1) - 1;
    while (i >= 0 && table.end[i]! < op) i--;
    return i < 0 ? null : table.event[i]!;
  };
  const height = TOP + Math.max(...scene.rows, 0) * LANE + LANE + 12;
  const places: number[] = [];
  ([race!.race.first, race!.race.second] as const).forEach((side, which) => {
    const name = which === 0 ? 'first' : 'second';
    const offset = which === 0 ? moved : 0;
    c.strokeStyle = colour(name);
    c.fillStyle = colour(name);
    c.lineWidth = 1.6;
    let to = side.op + offset;
    let toY = y(race!.events[which as 0 | 1]);
    for (const cause of side.causes.slice(0, 3)) {
      const poster = cause.op === null ? null : eventAt(cause.op);
      if (cause.op === null || poster === null) break;
      const fromY = y(poster);
      c.beginPath();
      c.moveTo(x(cause.op), fromY);
      c.bezierCurveTo(x(cause.op) + 24, fromY + 18, x(to) - 24, toY - 18, x(to), toY);
      c.stroke();
      to = cause.op;
      toY = fromY;
    }
    const place = x(side.op + offset + 0.5);
    places.push(place);
    c.fillRect(place, y(race!.events[which as 0 | 1]), 1.4, height - y(race!.events[which as 0 | 1]));
    c.beginPath();
    if (which === 0) c.arc(place, height, 8, 0, 7);
    else {
      c.moveTo(place, height - 10);
      c.lineTo(place + 10, height);
      c.lineTo(place, height + 10);
      c.lineTo(place - 10, height);
    }
    c.fill();
    c.fillStyle = colour('card');
    c.textAlign = 'center';
    c.fillText(String(which + 1), place, height + 1);
    c.textAlign = 'left';
  });
  c.strokeStyle = colour('free');
  c.setLineDash([4, 3]);
  c.beginPath();
  c.moveTo(Math.min(...places) + 12, height);
  c.lineTo(Math.max(...places) - 12, height);
  c.stroke();
  c.setLineDash([]);
  c.fillStyle = colour('free');
  c.fillText('either order', Math.max(...places) + 16, height);
}

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
  const scene: Scene = {
    table,
    sight,
    byTime,
    race,
    focused,
    rows: rows(table, race, byTime ? 0 : sight.from, byTime ? Infinity : sight.to),
  };
  const height = TOP + (Math.max(...scene.rows, 0) + 1) * LANE + (race ? 34 : 0) + 22;
  const folded = scene.rows.filter((row) => row < 0).length;

  useEffect(() => {
    const redraw = () => canvas.current && draw(canvas.current, scene);
    redraw();
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
    focus(i);
    if (start(scene, i) < sight.from || end(scene, i) > sight.to) {
      const span = sight.to - sight.from;
      look({ from: start(scene, i) - span / 2, to: start(scene, i) + span / 2 });
    }
  };
  const keys: Record<string, () => void> = {
    w: () => zoom(0.6),
    s: () => zoom(1 / 0.6),
    a: () => move(-0.25),
    d: () => move(0.25),
    f: () => look(whole),
    ',': () => step(-1),
    '.': () => step(1),
    Enter: () => focused >= 0 && go(link('event', table.event[focused]!)),
  };
  const hit = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const place = sight.from + ((event.clientX - box.left - LABEL) / (box.width - LABEL - 8)) * (sight.to - sight.from);
    const row = Math.floor((event.clientY - box.top - TOP) / LANE);
    for (let i = Math.min(count, firstAt(scene, place + 1e-6)) - 1; i >= 0 && i > count - 1e6; i--) {
      if (scene.rows[table.lane[i]!] === row && start(scene, i) <= place && end(scene, i) >= place) return i;
      if (start(scene, i) < sight.from && end(scene, i) < sight.from) break;
    }
    return -1;
  };
  const name = (i: number) =>
    `${table.names[table.name[i]!]}, ${table.lanes[table.lane[i]!]!.name}, operations ${table.begin[i]} to ${table.end[i]}`;
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
          <kbd>a</kbd> <kbd>d</kbd> move <kbd>w</kbd> <kbd>s</kbd> zoom <kbd>,</kbd> <kbd>.</kbd> next <kbd>f</kbd> all
        </span>
      </div>
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
                  <a href={link('event', table.event[i]!)}>{table.names[table.name[i]!]}</a>
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
