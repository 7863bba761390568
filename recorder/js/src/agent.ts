/**
 * Events of one agent: realms whose scripts take turns, such as a window and its frames of one origin.
 *
 * An event is opened by whoever calls into the program's code, and nothing that this code calls opens
 * another: a synchronous dispatch stays in its dispatcher. Callbacks end their event when they
 * return. Code whose return nobody sees (a script, what follows an `await`) ends it at the next
 * microtask checkpoint, by a microtask that was queued when it began: a checkpoint comes only when
 * nothing of the program's is running.
 *
 * A task is *alive* until its checkpoint is over: what runs as a microtask then is part of it. A
 * sentinel finds out, a microtask that queues itself again while others run. Should it give up too
 * soon, a part is taken for a task of its own, which loses order and invents none.
 */
import { List, newMap } from './natives';
import type { Recording } from './access';
import { word } from './text';

/** Rounds without a microtask of the program's after which a checkpoint is taken to be over. */
const PATIENCE = 12;
/** Characters and milliseconds after which lines are sent at the end of an event. */
const ENOUGH = 4096;
const LONG = 50;

export interface Platform {
  microtask(callback: () => void): void;
  later(callback: () => void, delay: number): void;
  now(): number;
  send(text: string): void;
}

export interface Member extends Recording {
  /** Tells what changed in the realm unseen by hooks since the last call, such as its document. */
  drain(): void;
}

export class Agent {
  epoch = 1;
  /** The running event, or none. */
  event = '';
  /** Whether the running event's code may have returned, unseen. */
  isOpen = false;
  /** The last task. */
  task = '';
  /** The program may be gone after any event: lines are sent at once. */
  leaving = false;
  private alive = false;
  private watching = false;
  private begun = 0;
  private lines = '';
  private armed = false;
  private sent = 0;
  private realms = new List<Member>();
  private readonly kinds = newMap<string, true>();
  private readonly said = newMap<string, true>();
  private counts = newMap<number, number>();

  constructor(
    private readonly platform: Platform,
    /** Number of the first realm. */
    private readonly first: number,
  ) {}

  join(realm: Member): void {
    this.realms.add(realm);
  }

  /** An id that no other event, callback or queue of the realm has. */
  id(realm: number): string {
    const count = (this.counts.get(realm) ?? 0) + 1;
    this.counts.set(realm, count);
    return `r${realm}.${count}`;
  }

  private readonly frames = newMap<string, number>();

  /** The name of a frame, told apart from others of the same file. */
  frame(file: string): string {
    const count = (this.frames.get(file) ?? 0) + 1;
    this.frames.set(file, count);
    return count === 1 ? file : `${file}@${count}`;
  }

  line(text: string): void {
    this.lines += `${text}\n`;
    if (!this.armed) {
      this.armed = true;
      this.platform.later(this.expire, LONG);
    }
  }

  private readonly expire = (): void => {
    this.armed = false;
    this.send();
  };

  /** Sends what waits. */
  send(): void {
    const { lines } = this;
    if (lines === '') return;
    this.lines = '';
    this.sent = this.platform.now();
    this.platform.send(lines);
  }

  diagnostic(code: string, text: string): void {
    if (this.said.has(code + text)) return;
    this.said.set(code + text, true);
    this.line(`# diagnostic ${code} ${text}`);
  }

  /** Says what kind of state a location is, once. */
  kind(name: string, kind: string): void {
    if (this.kinds.has(name)) return;
    this.kinds.set(name, true);
    this.line(`location ${word(name)} kind=${kind}`);
  }

  access(write: boolean, name: string, value: string, site: number): void {
    if (this.event === '') this.stray();
    const at = site < 0 ? '' : ` site=${site}`;
    this.line(`${write ? 'write' : 'read'} ${word(name)} value=${word(value)}${at}`);
  }

  /** Whether what runs now is part of a task that is known. */
  get isAlive(): boolean {
    return this.alive;
  }

  /** Begins an event, ending whatever was left open. */
  begin(id: string, type: string, name: string): void {
    if (this.event !== '') this.end();
    else this.strays();
    this.open(id, type, name);
  }

  private open(id: string, type: string, name: string): void {
    this.event = id;
    this.begun++;
    this.line(`begin ${id} type=${type} name=${word(name)}`);
    if (type !== 'microtask' && type !== 'listener') this.task = id;
    this.alive = true;
    if (this.watching) return;
    this.watching = true;
    this.rounds = 0;
    this.platform.microtask(this.watch);
  }

  private rounds = 0;
  private seen = 0;
  private readonly watch = (): void => {
    this.rounds = this.seen === this.begun ? this.rounds + 1 : 0;
    this.seen = this.begun;
    if (this.rounds < PATIENCE) return this.platform.microtask(this.watch);
    this.watching = false;
    this.alive = false;
  };

  private readonly last = new List<() => void>();

  /** Has something told when the running event ends. */
  atEnd(tell: () => void): void {
    this.last.add(tell);
  }

  /** Ends the running event. */
  end(): void {
    for (let at = 0; at < this.last.length; at++) this.last.at(at)();
    this.last.clear();
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).drain();
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).flush();
    this.line(`end ${this.event}`);
    this.event = '';
    this.isOpen = false;
    this.turn();
    if (this.leaving || this.lines.length >= ENOUGH || this.platform.now() - this.sent > LONG) this.send();
  }

  private turn(): void {
    this.epoch = (this.epoch + 1) & 0x3fffffff || 1;
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).turn();
  }

  /** Ends an event whose code nobody sees return, when that has returned. */
  endLater(): void {
    const { event } = this;
    this.isOpen = true;
    this.platform.microtask(() => {
      if (this.event === event) this.end();
    });
  }

  /** Accesses outside of any event: code that somebody called whom the runtime does not know. */
  strays(): void {
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).drain();
    let waiting = false;
    for (let at = 0; at < this.realms.length; at++) waiting ||= this.realms.at(at).teller.waits;
    if (!waiting) return;
    this.stray();
    this.end();
  }

  private stray(): void {
    this.diagnostic('unknown-source', 'code that nothing known has called');
    this.open(this.id(this.first), 'unknown', 'unknown');
    this.endLater();
  }
}
