/**
 * A window as a realm, or the global of a worker. A window's first document may be replaced while its
 * global stays the same. A window inside another is named after its frame.
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
    this.listen = this.method(global.EventTarget.prototype, 'addEventListener');
    numberRealm(number);
    this.started(() => this.locate());
  }

  /** The platform's own `addEventListener`. */
  readonly listen: (target: any, type: string, listener: (event: any) => void, options: unknown) => void;

  private readonly starts = new List<() => void>();

  /**
   * Calls `act` now, and again when the window gets another document: the first document is replaced
   * while the global stays the same, and its listeners are lost.
   */
  started(act: () => void): void {
    this.starts.add(act);
    act();
  }

  restart(): void {
    for (let at = 0; at < this.starts.length; at++) this.starts.at(at)();
  }

  /** Records an access. Names of parts of a document, and of its handlers, begin with the frame. */
  override record(kind: string, name: string, write: boolean, value: string, site?: number): void {
    const isOfDocument = kind === 'dom' || kind === 'handler' || kind === INITIALISED;
    super.record(kind, isOfDocument ? framed(name) : name, write, value, site);
  }

  /** Names the frame that the window is in, by its file. */
  private locate(): void {
    const { global } = this;
    if (!global.document || global.parent === global) return;
    const { pathname } = global.location;
    const file = apply(slice, pathname, [apply(lastIndexOf, pathname, ['/']) + 1]) || 'frame';
    nameFrame(`${this.agent.frame(file)}/`);
  }
}
