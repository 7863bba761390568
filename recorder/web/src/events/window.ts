/**
 * A window as a realm, or the global of a worker. A window's first document may be replaced while its
 * global stays the same, and `document.open` empties a document and removes its listeners. A window
 * inside another, and one that another opened, is named after its file.
 */
import type { Agent } from 'interloper-js-recorder/agent';
import type { Hooks } from 'interloper-js-recorder/hooks';
import { framed, nameFrame, numberRealm } from 'interloper-js-recorder/names';
import { apply, List } from 'interloper-js-recorder/natives';
import { Realm } from 'interloper-js-recorder/realm';
import type { AccessRecorder } from 'interloper-js-recorder/recorder';
import type { PageCode } from './code';

const { slice, lastIndexOf } = String.prototype;

/** The kind of a part of a document that has a value from the start. */
export const INITIALISED = 'initialised';

export class WindowRealm extends Realm {
  constructor(
    global: any,
    number: number,
    agent: Agent,
    recorder: AccessRecorder,
    hooks: Hooks,
    override readonly code: PageCode,
  ) {
    super(global, number, agent, recorder, hooks, code);
    this.isInner = global.document && (global.parent !== global || agent.hasRealms);
    this.document = global.document;
    this.listen = this.method(global.EventTarget.prototype, 'addEventListener');
    numberRealm(number);
    this.started(() => this.locate());
  }

  /** The platform's own `addEventListener`. */
  readonly listen: (target: any, type: string, listener: (event: any) => void, options: unknown) => void;

  /** Whether the agent has a window around this one, or the one that opened it. */
  private readonly isInner: boolean;
  private document: any;
  private file = '';
  private readonly starts = new List<() => void>();

  /**
   * Calls `act` now, and again when the window has another document or an emptied one, whose listeners
   * are lost. Listeners that are added again must be the same functions.
   */
  started(act: () => void): void {
    this.starts.add(act);
    act();
  }

  restart(): void {
    this.document = this.global.document;
    for (let at = 0; at < this.starts.length; at++) this.starts.at(at)();
  }

  /** Starts again if the window has got another document. */
  renew(): void {
    if (this.document !== this.global.document) this.restart();
  }

  /** Records an access. Names of parts of a document, and of its handlers, begin with the frame. */
  override record(kind: string, name: string, write: boolean, value: string, site?: number): void {
    const isOfDocument = kind === 'dom' || kind === 'handler' || kind === INITIALISED;
    super.record(kind, isOfDocument ? framed(name) : name, write, value, site);
  }

  /** Names the frame that the window is in, by its file. */
  private locate(): void {
    if (!this.isInner) return;
    const { pathname } = this.global.location;
    if (pathname === this.file) return;
    this.file = pathname;
    const file = apply(slice, pathname, [apply(lastIndexOf, pathname, ['/']) + 1]) || 'frame';
    nameFrame(`${this.agent.frame(file)}/`);
  }
}
