// The views of the server, and how the page asks for them.
import { columns, type Texts } from './columns';
import { Groups, type GroupTable } from './groups';

export interface Source {
  file: string;
  line: number;
  column: number | null;
}

export interface Listed {
  id: number;
  name: string;
  state: 'unread' | 'loading' | 'ready' | 'failed' | 'changed' | 'vanished';
  error: string | null;
}

export interface Diagnostic {
  severity: string;
  code: string;
  message: string;
  at: string;
}

export interface RunView {
  name: string;
  model: string;
  engine: string;
  rules: string[];
  trace: { format: string; operations: number; events: number; threads: number; locations: number; accesses: number };
  summary: { races: number; open_races: number; locations: number; groups: number };
  conclusion: string;
  set_aside: string[];
  caveat: string | null;
  diagnostics: Diagnostic[];
  has_trace: boolean;
  has_clock: boolean;
  end: number;
  lanes: { name: string; events: number }[];
  /** The operations before which there is a picture of the page. */
  pictures: number[];
  order_command: string;
  explore_command: string;
}

export interface Access {
  op: number;
  kind: 'read' | 'write';
  thread: string;
  value: string | null;
  source: Source | null;
  stack: { function: string; source: Source | null; kind: string | null }[];
  causes: { of: string; op: number | null }[];
}

export interface Excerpt {
  file: string;
  start: number;
  lines: string[];
  line: number;
  column: number | null;
  marks: { line: number; op: number }[];
}

export interface Row {
  op: number;
  event: number | null;
  text: string;
  line: string;
  rail: 0 | 1 | 2;
  rule: string | null;
}

export interface RailsView {
  relation: 'before' | 'after' | 'unordered' | 'same';
  rows: Row[];
  other_ancestors: number;
  misses: { rule: string; text: string }[];
}

export interface RaceLink {
  fingerprint: string;
  nth: number;
  location: string;
  standing: string;
}

export interface End {
  recorded: boolean;
  first: 1 | 2;
  value: string | null;
  what: string;
}

export interface Difference {
  path: string;
  recorded: string | null;
  flipped: string | null;
}

export interface Replay {
  verdict: string;
  kind: string | null;
  held: { at: string; until: string } | null;
  diff: Record<string, Difference[]>;
  pictures?: { recorded: string; flipped: string; changed: [number, number, number, number][] };
  masked: number;
  notes: string[];
}

export interface RaceView {
  race: {
    id: number;
    fingerprint: string;
    location: string;
    class: string;
    labels: string[];
    hints: { kind: string; message: string }[];
    rank: number;
    rank_reasons: string[];
    why: string;
    first: Access;
    second: Access;
    replay?: Replay;
  };
  title: string;
  standing: string;
  harmful: boolean;
  excuse: string | null;
  nth: number;
  accesses: [string, string];
  causes: [string[], string[]];
  excerpts: [Excerpt | null, Excerpt | null];
  story: {
    certain: { text: string; rules: string[]; ops: [number, number] }[];
    free: string;
    ends: [End, End];
    later_write: number | null;
  } | null;
  rails: RailsView | null;
  window: [number, number];
  events: [number | null, number | null];
  reads: number;
  writes: number;
  location: number | null;
  covered_by: RaceLink[];
  covers: RaceLink[];
  others: RaceLink[];
  order_command: string;
  replay_command: string | null;
  held: string | null;
  markdown: string;
}

export interface LocationRow {
  location: number;
  name: string;
  kind: string | null;
  reads: number;
  writes: number;
  races: number;
  open: number;
}

export interface AccessRow {
  op: number;
  kind: string;
  event: number | null;
  text: string;
  value: string | null;
  source: Source | null;
  relation: string | null;
}

export interface EventView {
  event: number;
  noun: string;
  of_type: string | null;
  thread: string | null;
  begin: number | null;
  end: number | null;
  at: number | null;
  post: EventLink | null;
  posts: EventLink[];
  reads: number;
  writes: number;
  races: RaceLink[];
}

export interface EventLink {
  event: number | null;
  op: number;
  text: string;
  source: Source | null;
}

export interface Operation {
  op: number;
  event: number | null;
  at: number | null;
  line: string;
}

export interface Found {
  kind: 'race' | 'location' | 'event' | 'operation';
  text: string;
  number: number;
  /** The fingerprint of a race, and its number among those with it. */
  race: { fingerprint: string; nth: number } | null;
}

export interface Block {
  kind: 'heading' | 'paragraph' | 'item' | 'code' | 'row';
  text: string | string[];
}

/** An event of a run. */
export interface Place {
  event: number;
  begin: number;
  text: string;
}

export interface Diff {
  new: { fingerprint: string; title: string }[];
  gone: { fingerprint: string; title: string }[];
  unchanged: { fingerprint: string; title: string }[];
  parting: { before: Place | null; next: [Next, Next] } | null;
  common: number | null;
}

/** What comes next in a run where two runs part, and where the other run has it. */
export interface Next {
  here: Place;
  there: Place;
}

export interface Overview {
  races: { fingerprint: string; title: string; runs: number[]; open: boolean }[];
  failed: [number, string][];
}

export interface Suppression {
  keys: { name: string; value: string; chosen: boolean }[];
  lines: string[];
  count: number;
  races: RaceLink[];
}

export interface Statistics {
  stats: Record<string, unknown> | null;
  classes: Record<string, number>;
  labels: Record<string, number>;
  diagnostics: Diagnostic[];
  suppressions: { matches: string; reason: string; state: string; races: number }[];
}

/** All events of a run in the order of their begins, in columns. */
export interface Events {
  lanes: { name: string; events: number }[];
  types: string[];
  names: Texts;
  event: Uint32Array;
  begin: Uint32Array;
  end: Uint32Array;
  lane: Uint32Array;
  type: Uint32Array;
  name: Uint32Array;
  head: Uint32Array;
  /** When each event began, in milliseconds. */
  at: Float64Array | null;
}

/** An error that says what to do. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

async function request(path: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/1/${path}`);
  } catch {
    throw new Failure('The explorer does not answer.', 'Start `interloper explore` again, and open its address.');
  }
  if (response.ok) return response;
  const text = await response.text();
  let error = { message: text, hint: '' };
  try {
    error = JSON.parse(text);
  } catch {}
  throw new Failure(error.message, error.hint);
}

/** Where the answers come from: a server, or the file itself. */
export interface Answers {
  json(path: string): Promise<unknown>;
  table(path: string): Promise<ArrayBuffer>;
  /** What the file lacks, in sentences. */
  leftOut: string[];
}

const server: Answers = {
  json: (path) => request(path).then((response) => response.json()),
  table: (path) => request(path).then((response) => response.arrayBuffer()),
  leftOut: [],
};

let answering: Answers = server;

/** Takes the answers from the file itself from now on. */
export function answerFrom(source: Answers): void {
  answering = source;
}

export function leftOut(): string[] {
  return answering.leftOut;
}

/** Whether the page is one file, without a server. */
export function isOffline(): boolean {
  return answering !== server;
}

const answers = new Map<string, Promise<unknown>>();

/** The largest number of answers that are kept. */
const KEPT = 200;

/** Forgets all answers, because the recording has grown. */
export function forget(): void {
  answers.clear();
  drawn.clear();
}

/** Asks the server which runs there are, and reads those again that have changed. */
export function poll(refresh: number | null): Promise<Listed[]> {
  return answering.json(refresh === null ? 'runs' : `runs?refresh=${refresh}`) as Promise<Listed[]>;
}

/** Returns a view. An answer is kept until the recording grows. */
export function view<T>(path: string): Promise<T> {
  const known = answers.get(path);
  if (known !== undefined) return known as Promise<T>;
  const answer = answering.json(path) as Promise<T>;
  answers.set(path, answer);
  answer.catch(() => answers.delete(path));
  if (answers.size > KEPT) answers.delete(answers.keys().next().value!);
  return answer;
}

/** Returns a table. It is kept until the recording grows. */
function table<T>(path: string, read: (bytes: ArrayBuffer) => T): Promise<T> {
  const known = answers.get(path);
  if (known !== undefined) return known as Promise<T>;
  const table = answering.table(path).then(read);
  answers.set(path, table);
  table.catch(() => answers.delete(path));
  return table;
}

/** Returns a table of events with times in milliseconds, or none. */
export function eventsOf(table: Events): Events {
  return { ...table, at: table.at?.map((nanoseconds) => nanoseconds / 1e6) ?? null };
}

/** Returns the events of a run. */
export function events(run: number): Promise<Events> {
  return table(`${run}/events`, (bytes) => eventsOf(columns<Events>(bytes)));
}

/** Returns the groups of a run. */
export function groupsOf(run: number): Promise<Groups> {
  return table(`${run}/groups`, (bytes) => new Groups(columns<GroupTable>(bytes)));
}

const drawn = new Map<string, Promise<ImageBitmap>>();

/** Returns the picture of the page from before an operation. A few are kept. */
export function picture(run: number, op: number): Promise<ImageBitmap> {
  const path = `${run}/pictures/${op}`;
  let image = drawn.get(path);
  if (!image) {
    image = answering.table(path).then((bytes) => createImageBitmap(new Blob([bytes])));
    drawn.set(path, image);
    image.catch(() => {});
    if (drawn.size > KEPT) drawn.delete(drawn.keys().next().value!);
  }
  return image;
}
