// The explorer as one file: answers come from data in the page.
import {
  type AccessRow,
  type Answers,
  answerFrom,
  type Events,
  eventsOf,
  Failure,
  type Found,
  type LocationRow,
  type Operation,
  type RailsView,
  type RunView,
} from './api';
import { columns } from './columns';
import { Groups, type GroupTable } from './groups';
import { Order, type OrderTable } from './order';

interface About {
  left_out: string[];
  answers: Record<string, [number, number]>;
}

/** Decodes base64, natively where the browser can. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const native = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (native.fromBase64) return native.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Decodes base64 and decompresses. */
async function unpacked(text: string): Promise<ArrayBuffer> {
  const bytes = decoded(text.trim());
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

/** The largest number of results of each kind. */
const MOST = 50;

export class File implements Answers {
  readonly leftOut: string[];
  private readonly about: About;
  private readonly start: number;
  private readonly parsed = new Map<string, unknown>();

  constructor(private readonly bytes: ArrayBuffer) {
    const length = Number(new DataView(bytes).getBigUint64(0, true));
    this.about = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
    this.start = 8 + length;
    this.leftOut = this.about.left_out;
  }

  has(key: string): boolean {
    return key in this.about.answers;
  }

  private absent(): Failure {
    const command = this.has('0') ? this.kept<RunView>('0').explore_command : 'interloper explore';
    return new Failure('This file does not have that.', `\`${command}\` shows all of the recording.`);
  }

  private slice(key: string): Uint8Array {
    const place = this.about.answers[key];
    if (!place) throw this.absent();
    return new Uint8Array(this.bytes, this.start + place[0], place[1]);
  }

  private kept<T>(key: string): T {
    let known = this.parsed.get(key);
    if (known === undefined) {
      known = JSON.parse(new TextDecoder().decode(this.slice(key)));
      this.parsed.set(key, known);
    }
    return known as T;
  }

  /** Reads a table in place. */
  private columns<T>(key: string): T {
    return columns<T>(this.bytes, this.slice(key).byteOffset);
  }

  async table(path: string): Promise<ArrayBuffer> {
    return this.slice(path).slice().buffer as ArrayBuffer;
  }

  async json(path: string): Promise<unknown> {
    if (this.has(path)) return JSON.parse(new TextDecoder().decode(this.slice(path)));
    const [view = '', text = ''] = path.split('?', 2);
    const query = new URLSearchParams(text);
    if (view === '0/rails') return this.rails(Number(query.get('a')), Number(query.get('b')));
    if (view === '0/operations') return this.operations(Number(query.get('from')), Number(query.get('to')));
    if (view === '0/search') return this.search(query.get('q') ?? '');
    if (view.endsWith('/accesses')) return this.accesses(view, query.get('with'));
    throw this.absent();
  }

  private events_: Events | undefined;

  private events(): Events {
    this.events_ ??= eventsOf(this.columns<Events>('0/events'));
    return this.events_;
  }

  private order_: Order | undefined;

  order(): Order {
    this.order_ ??= new Order(this.columns<OrderTable>('0/order'), this.events());
    return this.order_;
  }

  private rails(a: number, b: number): RailsView {
    const order = this.order();
    if (!order.has(a) || !order.has(b)) {
      throw new Failure('This run has no such operation.', 'The link may be to another recording.');
    }
    const lines = new Map(this.kept<Operation[]>('0/operations').map((row) => [row.op, row.line]));
    return order.rails(a, b, (op) => lines.get(op) ?? '');
  }

  private operations(from: number, to: number): Operation[] {
    const rows = this.kept<Operation[]>('0/operations').filter((row) => row.op >= from && row.op < to);
    if (rows.length === 0) throw this.absent();
    return rows;
  }

  private accesses(view: string, selected: string | null): AccessRow[] {
    const rows = this.kept<AccessRow[]>(view);
    if (selected === null || !this.has('0/order')) return rows;
    const order = this.order();
    return rows.map((row) => ({ ...row, relation: order.relation(row.op, Number(selected)) }));
  }

  private search(text: string): Found[] {
    const query = text.trim().toLowerCase();
    if (query === '') return [];
    const matches = (name: string) => name.toLowerCase().includes(query);
    const found: Found[] = [];
    const groups = new Groups(this.columns<GroupTable>('0/groups'));
    for (const place of groups.search(query, MOST)) {
      const race = groups.at(place);
      found.push({ kind: 'race', text: race.title, number: race.race, race });
    }
    if (!this.has('0/events')) return found;
    const rows = /^\d+$/.test(query) ? this.kept<Operation[]>('0/operations') : [];
    const row = rows.find((row) => row.op === Number(query));
    if (row) found.push({ kind: 'operation', text: row.line, number: row.op, race: null });
    const locations = this.kept<LocationRow[]>('0/locations').filter((row) => matches(row.name));
    for (const row of locations.slice(0, MOST)) {
      found.push({ kind: 'location', text: row.name, number: row.location, race: null });
    }
    const events = this.events();
    const named = events.names.all().map(matches);
    for (let i = 0, count = 0; i < events.event.length && count < MOST; i++) {
      if (!named[events.name[i]!]) continue;
      found.push({ kind: 'event', text: events.names.at(events.name[i]!), number: events.event[i]!, race: null });
      count++;
    }
    return found;
  }
}

/** Takes answers from the data in the page, if there is some. */
export async function open(): Promise<void> {
  const data = document.getElementById('data');
  if (!data) return;
  answerFrom(new File(await unpacked(data.textContent ?? '')));
  data.remove();
  document.getElementById('static')?.remove();
  document.getElementById('style')?.removeAttribute('media');
}
