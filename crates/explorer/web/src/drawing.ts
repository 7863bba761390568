// Draws the timeline on a canvas: lanes of events, pictures of the page, the arrows that lead to two accesses, and the
// strip that shows the whole run.
import type { Events, RaceView } from './api';
import { order } from './race';

/** The sizes of the drawing, in pixels. */
export const LABEL = 96;
export const LANE = 40;
const BOX = 20;
export const TOP = 26;

/** The height of the lane with pictures of the page, and of a picture in it. */
export const PAGE = 74;
const PICTURE = 60;
/** The height of the strip that shows the whole run. */
const STRIP = 18;

/** The number of lanes that are drawn before quiet ones are folded: in the whole timeline, and beside a race. */
const LANES = 12;
const LANES_OF_RACE = 6;

/** The part of the run in sight, in operations or milliseconds. */
export interface Sight {
  from: number;
  to: number;
}

export interface Scene {
  table: Events;
  sight: Sight;
  /** For each lane the row in which it is drawn, or -1 if it is folded. */
  rows: number[];
  byTime: boolean;
  race: RaceView | null;
  focused: number;
  /** The operations before which there are pictures of the page, with the pictures that are there. */
  pictures: number[];
  images: Map<number, ImageBitmap>;
  /** Where the lanes begin. */
  top: number;
}

export function start(scene: Scene, i: number): number {
  return scene.byTime ? scene.table.at![i]! : scene.table.begin[i]!;
}

export function end(scene: Scene, i: number): number {
  if (!scene.byTime) return scene.table.end[i]! + 1;
  const next = scene.table.at![i + 1];
  return next === undefined || Number.isNaN(next) ? scene.table.at![i]! : next;
}

/** Returns the index of the first event that begins at or after a place. */
export function firstAt(scene: Scene, place: number): number {
  let low = 0;
  let high = scene.table.begin.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start(scene, middle) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index of the event that an operation belongs to, as far as begins and ends tell, or -1. */
export function eventAt(table: Events, op: number): number {
  let [low, high] = [0, table.begin.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.begin[middle]! <= op) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= Math.max(0, low - 64); i--) if (table.end[i]! >= op) return i;
  return -1;
}

/** Returns the lanes that are drawn: those of the race and the busiest in sight. */
export function rows(table: Events, race: RaceView | null, from: number, to: number): number[] {
  // Of very many events a sample is counted, in which a quiet lane may be missing.
  const step = Math.max(1, Math.floor((to - from) / 50_000));
  const busy = table.lanes.map((lane): number => (step > 1 && lane.events > 0 ? 0.5 : 0));
  for (let i = from; i < to; i += step) busy[table.lane[i]!]!++;
  for (const event of race?.events ?? []) {
    const i = event === null ? -1 : table.event.indexOf(event);
    if (i >= 0) busy[table.lane[i]!] = Infinity;
  }
  // What led to the accesses is shown too.
  for (const side of race ? [race.race.first, race.race.second] : [])
    for (const cause of side.causes.slice(0, 3)) {
      const i = cause.op === null ? -1 : eventAt(table, cause.op);
      if (i >= 0) busy[table.lane[i]!] = Infinity;
    }
  const shown = busy.map((_, lane) => lane).filter((lane) => busy[lane]! > 0);
  shown.sort((a, b) => busy[b]! - busy[a]! || a - b);
  const kept = new Set(shown.slice(0, race ? LANES_OF_RACE : LANES));
  let row = 0;
  return busy.map((_, lane) => (kept.has(lane) ? row++ : -1));
}

/** The colours of the theme. */
function colours(canvas: HTMLCanvasElement): (name: string) => string {
  const style = getComputedStyle(canvas);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

export function draw(canvas: HTMLCanvasElement, scene: Scene): void {
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
    const text = scene.byTime ? `${Math.round(at)} ms` : String(Math.round(at));
    if (x(at) + 3 + c.measureText(text).width < width) c.fillText(text, x(at) + 3, height - 8);
  }
  if (scene.pictures.length > 0) {
    c.fillStyle = colour('ink');
    c.fillText('page', 8, TOP + PAGE / 2 - 4);
    c.fillStyle = colour('line');
    c.fillRect(0, TOP + PAGE - 4, width, 1);
  }
  scene.rows.forEach((row, lane) => {
    if (row < 0) return;
    const y = scene.top + row * LANE;
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
  const behind = race === null ? 0 : distance(table, race);
  const side = (i: number) =>
    race === null ? 0 : table.event[i] === race.events[0] ? 1 : table.event[i] === race.events[1] ? 2 : 0;
  const shift = (i: number) => (other && side(i) === 1 ? behind : 0);
  paintPictures(c, colour, scene, x, other);
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
    const y = scene.top + row * LANE + (LANE - BOX) / 2 - 4;
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
      c.fillText(table.names.at(table.name[i]!), left + 4, y + BOX / 2);
      c.restore();
    }
  }
  last = [];
  if (race && !scene.byTime) access(c, colour, scene, x, other ? behind : 0);
  c.restore();
}

/** Returns how far the event of the first access moves in the other order: behind the event of the second. */
function distance(table: Events, race: RaceView): number {
  const [first, second] = race.events.map((event) => (event === null ? -1 : table.event.indexOf(event)));
  if (first! < 0 || second! < 0 || first === second) return race.race.second.op - race.race.first.op + 2;
  return table.end[second!]! + 1 - table.begin[first!]!;
}

/** Returns where an operation stands on the axis. */
function placeOf(scene: Scene, op: number): number {
  if (!scene.byTime) return op;
  const i = eventAt(scene.table, op);
  return i < 0 ? 0 : scene.table.at![i]!;
}

/** Returns the pictures in sight that do not stand on each other, by their operations. */
export function inSight(scene: Scene, width: number): number[] {
  const { sight, pictures } = scene;
  const least = ((sight.to - sight.from) / Math.max(1, width - LABEL)) * (PICTURE * 1.7);
  const shown: number[] = [];
  let next = -Infinity;
  for (const op of pictures) {
    const place = placeOf(scene, op);
    if (place < sight.from || place > sight.to || place < next) continue;
    shown.push(op);
    next = place + least;
  }
  return shown;
}

/** Draws the pictures of the page. What the page shows after the accesses have changed places, nobody has seen. */
function paintPictures(
  c: CanvasRenderingContext2D,
  colour: (name: string) => string,
  scene: Scene,
  x: (place: number) => number,
  other: boolean,
): void {
  let right = -Infinity;
  for (const op of inSight(scene, c.canvas.clientWidth)) {
    const image = scene.images.get(op);
    const unseen = other && scene.race !== null && op > scene.race.race.first.op;
    if (!image && !unseen) continue;
    const w = image ? (PICTURE * image.width) / image.height : PICTURE * 1.6;
    const left = Math.min(x(placeOf(scene, op)), c.canvas.clientWidth - w - 4);
    if (left < right) continue;
    right = left + w;
    c.strokeStyle = colour(unseen ? 'dim' : 'line');
    c.lineWidth = 1;
    if (unseen) {
      c.setLineDash([4, 3]);
      c.fillStyle = colour('dim');
      c.textAlign = 'center';
      c.fillText('unseen', left + w / 2, TOP + PICTURE / 2);
      c.textAlign = 'left';
    } else c.drawImage(image!, left, TOP, w, PICTURE);
    c.strokeRect(left + 0.5, TOP + 0.5, w, PICTURE);
    c.setLineDash([]);
  }
}

/** The last result of `business`, which is the same while somebody pans. */
let known: { table: Events; byTime: boolean; busy: Float32Array } | null = null;

/** Returns how many events begin at each pixel of the strip. A sample is enough to see where the run is busy. */
function business(scene: Scene, whole: Sight, pixels: number): Float32Array {
  const { table, byTime } = scene;
  if (known?.table === table && known.byTime === byTime && known.busy.length === pixels + 1) return known.busy;
  const step = Math.max(1, Math.floor(table.begin.length / (pixels * 20)));
  const busy = new Float32Array(pixels + 1);
  for (let i = 0; i < table.begin.length; i += step) {
    const at = Math.floor(((start(scene, i) - whole.from) / (whole.to - whole.from)) * pixels);
    if (at >= 0 && at <= pixels) busy[at]!++;
  }
  known = { table, byTime, busy };
  return busy;
}

/** Draws the whole run in a strip: how busy it is, where races are, and what is in sight. */
export function drawStrip(canvas: HTMLCanvasElement, scene: Scene, whole: Sight): void {
  const { sight, race } = scene;
  const width = canvas.clientWidth;
  canvas.width = width * devicePixelRatio;
  canvas.height = STRIP * devicePixelRatio;
  const c = canvas.getContext('2d')!;
  c.scale(devicePixelRatio, devicePixelRatio);
  const colour = colours(canvas);
  const span = Math.max(1e-9, whole.to - whole.from);
  const x = (place: number) => LABEL + ((place - whole.from) / span) * (width - LABEL - 8);
  const pixels = Math.max(1, Math.floor(width - LABEL - 8));
  const busy = business(scene, whole, pixels);
  const most = busy.reduce((most, count) => Math.max(most, count), 1);
  c.fillStyle = colour('box-ink');
  busy.forEach((count, at) => {
    const h = count === 0 ? 0 : 2 + (8 * count) / most;
    c.fillRect(LABEL + at, 11 - h, 1, h);
  });
  c.fillStyle = colour('harm');
  for (const op of race ? [race.race.first.op, race.race.second.op] : [])
    c.fillRect(x(placeOf(scene, op)) - 1, 13, 3, 3);
  c.strokeStyle = colour('accent');
  c.lineWidth = 1.5;
  const [from, to] = [Math.max(sight.from, whole.from), Math.min(sight.to, whole.to)];
  c.strokeRect(x(from), 0.75, Math.max(3, x(to) - x(from)), 11.5);
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
    return row < 0 ? scene.top : scene.top + row * LANE + LANE / 2 - 4;
  };
  const height = scene.top + Math.max(...scene.rows, 0) * LANE + LANE + 12;
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
      const poster = cause.op === null ? -1 : eventAt(table, cause.op);
      if (cause.op === null || poster < 0) break;
      const fromY = y(table.event[poster]!);
      arrow(c, x(cause.op), fromY, x(to), toY);
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
  const [text, right] = ['either order', Math.max(...places) + 16];
  const wide = c.measureText(text).width;
  c.fillText(text, right + wide < c.canvas.clientWidth ? right : Math.min(...places) - 16 - wide, height);
}

/** Draws an arrow from the box around one place to the box around another, clear of what is written in the boxes. */
function arrow(c: CanvasRenderingContext2D, fromX: number, fromY: number, toX: number, toY: number): void {
  // Within a lane it goes over the boxes.
  const [out, into] = toY === fromY ? [-1, -1] : toY > fromY ? [1, -1] : [-1, 1];
  const [startY, endY] = [fromY + (out * BOX) / 2, toY + (into * BOX) / 2];
  const bend = toY === fromY ? 16 : Math.min(26, Math.abs(endY - startY) / 2 + 8);
  c.beginPath();
  c.moveTo(fromX, startY);
  c.bezierCurveTo(fromX, startY + out * bend, toX, endY + into * bend, toX, endY);
  c.stroke();
  c.beginPath();
  c.moveTo(toX, endY);
  c.lineTo(toX - 4, endY + into * 7);
  c.lineTo(toX + 4, endY + into * 7);
  c.fill();
}
