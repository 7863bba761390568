/**
 * Events of one agent. An agent is a set of realms whose scripts take turns, such as a window and its
 * frames of one origin.
 *
 * The function that calls into the program's code opens an event, and code that runs inside it opens no
 * other event: a synchronous dispatch belongs to the event of its dispatcher. A callback's event ends
 * when the callback returns. The recorder cannot see a script return, nor the code after an `await`.
 * Such an event ends at the next microtask checkpoint, by a microtask that is queued when the event
 * begins: a checkpoint comes only when no code of the program is running.
 *
 * A task is *alive* until its checkpoint is over, and the microtasks that run until then are part of
 * it. A sentinel detects the end: a microtask that queues itself again while others run. If the
 * sentinel gives up too soon, a part of the task is recorded as a task of its own. That loses order
 * and adds none.
 */
import { List, newMap } from './natives';
import type { Recording } from './access';
import type { AccessRecorder } from './recorder';
import type { Holds } from './holds';
import { Packed } from './packed';
import { word } from './text';
import { nameAt, type Location, type Value, type Word } from './wire';

/** Rounds without a microtask of the program after which a checkpoint counts as over. */
const PATIENCE = 12;
/** The number of characters, or of milliseconds, after which lines are sent at the end of an event. */
const ENOUGH = 1 << 15;
const LONG = 50;
/** How many milliseconds a program may take to end after it began to: as long as a page may take to load. */
const LEAVING = 30_000;

/** The key `at=` of a time in milliseconds. The clocks of browsers are not finer than microseconds. */
function stamped(milliseconds: number): string {
  const microseconds = milliseconds > 0 ? milliseconds * 1000 : 0;
  return ` at=${(microseconds - (microseconds % 1)) * 1000}`;
}

export interface Platform {
  microtask(callback: () => void): void;
  later(callback: () => void, delay: number): void;
  /** The time in milliseconds since the recording began. */
  now(): number;
  send(text: string): void;
  /** The text of the first bytes of an array, which are ASCII. */
  text(bytes: Uint8Array, length: number): string;
  /** Set when the platform no longer works, such as that of a window that was left. */
  isGone?: boolean;
}

export interface Member extends Recording {
  /** Records the changes since the last call that no hook sees, such as those of the realm's document. */
  drain(): void;
}

export class Agent {
  epoch = 1;
  /** The running event, or none. */
  event = '';
  /** The type of the running task, or of the last one. */
  task = '';
  /** Whether the running event's code may have returned without the recorder noticing. */
  isOpen = false;
  /** The events of the task that changed what observers of mutations report. */
  readonly changes = new List<string>();
  /** The last event of the task in which the code after an `await` ran, or none. */
  resumed = '';
  /** Until when the program may be gone after any event. Lines are sent at once until then. */
  private leaving = 0;
  /** The tasks that a replay holds back. */
  holds: Holds | undefined;
  /** How many timers will fire soon. */
  pending = 0;
  private alive = false;
  private watching = false;
  /** The number of events that have begun. */
  begun = 0;
  private lines = '';
  /** The last accesses, which come after the lines. */
  private readonly packed = new Packed((bytes, length) => this.platform.text(bytes, length));
  private armed = false;
  private sent = 0;
  /** The globals of the realms, with their recorders. */
  readonly windows = new List<{ global: object; recorder: AccessRecorder }>();
  /** Posts an event as part of the user's gesture whose next event is about to begin, if one is. */
  gesture: ((id: string) => void) | undefined;
  /** The realm whose code is about to send a message, until the message is sent. */
  caller: unknown;
  /** Called with each event that begins, its type and its name. */
  opened: ((id: string, type: string, name: string) => void) | undefined;
  /** Called at the end of an event that may have changed what a person can see. */
  watcher: (() => void) | undefined;
  /** Whether something that a person can see may have changed since the last call of the watcher. */
  isTouched = false;
  /** Whether the events that end now are followed by others of the same change. */
  isBatch = false;
  private realms = new List<Member>();
  private readonly kinds = newMap<string, true>();
  private readonly said = newMap<string, true>();
  private counts = newMap<number, number>();

  constructor(
    private platform: Platform,
    /** The number of the first realm. */
    private readonly first: number,
  ) {}

  join(realm: Member): void {
    this.realms.add(realm);
  }

  /** Whether a realm has joined. */
  get hasRealms(): boolean {
    return this.realms.length > 0;
  }

  private readonly others = new List<Platform>();

  /** Adds a platform that works when those before it are gone. */
  stand(platform: Platform): void {
    this.others.add(platform);
  }

  /** Sends the lines that wait, and then uses another platform: this one is about to be gone. */
  withdraw(platform: Platform): void {
    this.leave();
    platform.isGone = true;
    if (platform !== this.platform) return;
    this.renumber();
    for (let at = 0; at < this.others.length && this.platform.isGone; at++) this.platform = this.others.at(at);
    this.armed = false;
    this.watching = false;
    this.alive = false;
  }

  /** An id that no other event, callback or queue of the realm has. */
  id(realm: number): string {
    const count = (this.counts.get(realm) ?? 0) + 1;
    this.counts.set(realm, count);
    return `r${realm}.${count}`;
  }

  private readonly frames = newMap<string, number>();

  /** A name for a frame that no other frame of the same file has. */
  frame(file: string): string {
    const count = (this.frames.get(file) ?? 0) + 1;
    this.frames.set(file, count);
    return count === 1 ? file : `${file}@${count}`;
  }

  /** The key `at=` of the current time, in nanoseconds. */
  stamp(): string {
    return stamped(this.platform.now());
  }

  line(text: string): void {
    if (!this.packed.isEmpty) this.unpack();
    this.statement(text);
  }

  /** Adds a line that may come before the accesses that wait. */
  private statement(text: string): void {
    this.lines += `${text}\n`;
    if (!this.armed) this.arm();
  }

  private unpack(): void {
    this.lines += `*${this.packed.take()}\n`;
  }

  private arm(): void {
    this.armed = true;
    this.platform.later(this.expire, LONG);
  }

  private readonly expire = (): void => {
    this.armed = false;
    this.send();
  };

  /** Sends the lines that wait. */
  send(): void {
    if (!this.packed.isEmpty) this.unpack();
    const { lines } = this;
    if (lines === '') return;
    this.lines = '';
    this.sent = this.platform.now();
    this.platform.send(lines);
  }

  /** Sends the lines that wait, and for a while those of each event at its end: the program is about to end. */
  leave(): void {
    this.leaving = this.platform.now() + LEAVING;
    this.send();
  }

  diagnostic(code: string, text: string): void {
    if (this.said.has(code + text)) return;
    this.said.set(code + text, true);
    this.line(`# diagnostic ${code} ${text}`);
  }

  /** Records the kind of a location, once. */
  kind(name: string, kind: string): void {
    if (this.kinds.has(name)) return;
    this.kinds.set(name, true);
    this.line(`location ${word(name)} kind=${kind}`);
  }

  /** Records that a location has a value before its first access. */
  initialised(location: Location, index: number): void {
    this.statement(`location ${nameAt(location, index)} kind=initialised`);
  }

  /** The number of the last location or value that was defined. */
  private defined = 0;
  /** The number of the last one that the recorder no longer knows. */
  private forgotten = 0;

  /** Records an access (docs/recording-web-runtime.md, "Accesses by number"). */
  access(write: boolean, location: Location, index: number, value: Value, site: number): void {
    if (this.event === '') this.stray();
    if (location.number <= this.forgotten) this.defineLocation(location);
    if (this.packed.isFull) this.unpack();
    if (typeof value === 'number') this.packed.add(write, location.number, index, site, true, value);
    else {
      if (value.number <= this.forgotten) this.define(value, '');
      this.packed.add(write, location.number, index, site, false, value.number);
    }
    if (!this.armed) this.arm();
  }

  private defineLocation(location: Location): void {
    const { owner } = location;
    if (!owner) return this.define(location, '');
    if (owner.number <= this.forgotten) this.defineLocation(owner);
    this.define(location, ` ${owner.number}`);
  }

  private define(word: Word, owner: string): void {
    word.number = ++this.defined;
    this.statement(`=${word.number}${owner} ${word.word}`);
  }

  /** Defines all locations and values again: the recorder takes the lines that follow for those of another document. */
  renumber(): void {
    this.forgotten = this.defined;
  }

  /** Whether the code that runs now is part of a known task. */
  get isAlive(): boolean {
    return this.alive;
  }

  /** Records an event that ran before the running task, and is no part of it. */
  aside(id: string, type: string, name: string, act: () => void): void {
    if (this.event !== '') this.end();
    else this.strays();
    this.event = id;
    this.line(`begin ${id} type=${type} name=${word(name)}`);
    act();
    this.end();
  }

  /** Begins an event, and ends the one that was left open. */
  begin(id: string, type: string, name: string): void {
    if (this.event !== '') this.end();
    else this.strays();
    this.open(id, type, name);
  }

  private open(id: string, type: string, name: string): void {
    this.event = id;
    this.begun++;
    this.line(`begin ${id} type=${type} name=${word(name)}${this.stamp()}`);
    if (type !== 'microtask' && type !== 'listener' && type !== 'module') {
      this.changes.clear();
      this.resumed = '';
      this.task = type;
      this.holds?.begin(id, type, name);
    }
    this.opened?.(id, type, name);
    this.alive = true;
    if (this.watching) return;
    this.watching = true;
    this.rounds = 0;
    this.platform.microtask(this.watch);
  }

  /** Notes that the running event changed what observers of mutations report. */
  changed(): void {
    const { changes } = this;
    if (changes.length === 0 || changes.at(changes.length - 1) !== this.event) changes.add(this.event);
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

  /** Calls `act` in a microtask that is no event. */
  soon(act: () => void): void {
    this.platform.microtask(act);
  }

  private readonly last = new List<() => void>();

  /** Calls `act` when the running event ends. */
  atEnd(act: () => void): void {
    this.last.add(act);
  }

  /** Ends the running event. */
  end(): void {
    for (let at = 0; at < this.last.length; at++) this.last.at(at)();
    this.last.clear();
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).drain();
    if (this.isTouched && !this.isBatch) {
      this.isTouched = false;
      this.watcher?.();
    }
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).flush();
    const now = this.platform.now();
    this.line(`end ${this.event}${stamped(now)}`);
    this.event = '';
    this.isOpen = false;
    this.turn();
    const isHasty = this.holds?.isHasty || now < this.leaving;
    if (isHasty || this.lines.length >= ENOUGH || now - this.sent > LONG) this.send();
  }

  private turn(): void {
    this.epoch = (this.epoch + 1) & 0x3fffffff || 1;
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).turn();
  }

  /** Ends the running event at the next microtask checkpoint, because its code returns unseen. */
  endLater(): void {
    const { event } = this;
    this.isOpen = true;
    this.platform.microtask(() => {
      if (this.event === event) this.end();
    });
  }

  /** Puts accesses outside of any event into one: the runtime does not know who called their code. */
  strays(): void {
    for (let at = 0; at < this.realms.length; at++) this.realms.at(at).drain();
    let waiting = false;
    for (let at = 0; at < this.realms.length; at++) waiting ||= this.realms.at(at).recorder.waits;
    if (!waiting) return;
    this.stray();
    this.end();
  }

  private stray(): void {
    this.diagnostic('unknown-source', 'code whose caller is unknown');
    this.open(this.id(this.first), 'unknown', 'unknown');
    this.endLater();
  }
}
