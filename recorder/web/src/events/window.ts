/**
 * A window as a realm. The document that it begins with may be replaced under the same global, and a
 * window inside another is named after its frame.
 */
import type { Agent } from 'interloper-js-recorder/agent';
import type { Hooks } from 'interloper-js-recorder/hooks';
import { framed, nameFrame } from 'interloper-js-recorder/names';
import { apply, List } from 'interloper-js-recorder/natives';
import { Realm } from 'interloper-js-recorder/realm';
import type { Teller } from 'interloper-js-recorder/teller';
import type { PageCode } from './code';

const { slice, lastIndexOf } = String.prototype;

export class WindowRealm extends Realm {
  constructor(
    global: any,
    number: number,
    agent: Agent,
    teller: Teller,
    hooks: Hooks,
    override readonly code: PageCode,
  ) {
    super(global, number, agent, teller, hooks, code);
    this.listen = this.method(global.EventTarget.prototype, 'addEventListener');
    this.started(() => this.locate());
  }

  /** The platform's own `addEventListener`. */
  readonly listen: (target: any, type: string, listener: (event: any) => void, options: unknown) => void;

  private readonly starts = new List<() => void>();

  /**
   * Has something done now, and again when the window gets another document: the one it begins with
   * is replaced under the same global, and the listeners are gone then.
   */
  started(act: () => void): void {
    this.starts.add(act);
    act();
  }

  restart(): void {
    for (let at = 0; at < this.starts.length; at++) this.starts.at(at)();
  }

  /** Names of parts of a document, and of its handlers, begin with the frame. */
  override tell(kind: string, name: string, write: boolean, value: string, site?: number): void {
    super.tell(kind, kind === 'dom' || kind === 'handler' ? framed(name) : name, write, value, site);
  }

  /** Names the frame that the window is in, by its file. */
  private locate(): void {
    const { global } = this;
    if (global.parent === global) return;
    const { pathname } = global.location;
    const file = apply(slice, pathname, [apply(lastIndexOf, pathname, ['/']) + 1]) || 'frame';
    nameFrame(`${this.agent.frame(file)}/`);
  }
}
