/**
 * The loading of a document: the chain of the parser's events, the scripts that block the parser, the
 * deferred scripts, `DOMContentLoaded` and `load`; and the loading of elements' resources. `load` waits
 * for the resources and scripts that began before it.
 */
import { apply, define, List, newWeakMap } from 'interloper-js-recorder/natives';
import { framed, valueText } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';
import type { Elements } from './elements';
import { INITIALISED, type WindowRealm } from './window';

export class Loading {
  private readonly realm: WindowRealm;
  private readonly elements: Elements;
  private readonly state: (document: any) => string;
  private readonly contentWindow: (frame: any) => any;
  /** The event that inserted each element, if there was one. */
  private readonly creators = newWeakMap<object, string>();
  /** The event that last gave each element the address of its resource. */
  private readonly started = newWeakMap<object, string>();
  /** The event in which a script element's code ran. */
  readonly executed = newWeakMap<object, string>();
  /** The events that `load` waits for. */
  private readonly awaited = new List<string>();
  /** The last event of the parser's chain. */
  private chain = '';
  /** Whether the parser has not finished. */
  parsing = true;
  private ready = false;
  private loaded = false;

  constructor(private readonly dispatches: Dispatches) {
    const { realm, elements } = dispatches;
    this.realm = realm;
    this.elements = elements;
    const { global } = realm;
    this.state = realm.getter(global.Document.prototype, 'readyState');
    this.contentWindow = realm.getter(global.HTMLIFrameElement.prototype, 'contentWindow');
    realm.accessor(global.Document.prototype, 'readyState', {
      get: (original) =>
        ({
          method() {
            const found = apply(original, this, []);
            if (realm.agent.event !== '' && this === elements.document)
              realm.record(INITIALISED, 'document.readyState', false, valueText(found));
            return found;
          },
        }).method,
    });
    define(realm.hooks, 'loading', { value: this });
    realm.started(() => this.attach());
    // Loads of elements in no document: their events reach only the listeners of the element itself.
    dispatches.source((event, target, type) => {
      if ((type !== 'load' && type !== 'error') || !elements.isElement(target)) return false;
      this.resource(event, type);
      return true;
    });
  }

  /** Starts to observe the window's current document. */
  private attach(): void {
    const { document } = this.realm.global;
    this.elements.document = document;
    this.parsing = true;
    this.loaded = false;
    this.ready = false;
    this.awaited.clear();
    this.chain = this.around();
    this.listen(document);
  }

  /** The event that made the frame of this document, if the document around it has the same origin. */
  private around(): string {
    const { global, agent, code } = this.realm;
    if (agent.event !== '') return agent.event;
    agent.strays();
    try {
      const { frameElement } = global;
      return frameElement ? (global.parent[code.hooks].loading as Loading).creator(frameElement) : '';
    } catch {
      return '';
    }
  }

  /** The last event in the loading of the document in a frame. */
  private inside(frame: object): string {
    if (this.elements.tag(frame) !== 'iframe') return '';
    try {
      const inner = this.contentWindow(frame)[this.realm.code.hooks].loading as Loading;
      return inner === this ? '' : inner.chain;
    } catch {
      return '';
    }
  }

  /** The listeners, which are added again when the window gets another document. */
  private readonly listeners = {
    changed: (event: any): void => this.heard(event, () => this.stateChanged(event)),
    parsed: (event: any): void => this.heard(event, () => this.step(event, 'DOMContentLoaded', 'parser')),
    loaded: (event: any): void => this.heard(event, () => this.loadedAll(event)),
    resource: (event: any): void => this.heard(event, () => this.resource(event, this.dispatches.type(event))),
  };

  private heard(event: any, act: () => void): void {
    if (this.dispatches.isNative(event)) act();
  }

  private listen(document: any): void {
    const { global } = this.realm;
    const { listeners } = this;
    const on = (target: any, type: string, listener: (event: any) => void) =>
      this.realm.listen(target, type, listener, true);
    on(document, 'readystatechange', listeners.changed);
    on(global, 'DOMContentLoaded', listeners.parsed);
    on(global, 'load', listeners.loaded);
    for (const type of ['load', 'error']) on(document, type, listeners.resource);
  }

  /** The event that created an element or the nearest of its ancestors. */
  creator(element: any): string {
    for (let at = element; at; at = this.elements.parent(at)) {
      const found = this.creators.get(at);
      if (found !== undefined) return found;
    }
    return '';
  }

  /** Notes the event in which an element was inserted into the document. */
  created(element: object, event: string): void {
    this.creators.set(element, event);
  }

  /** Records that a resource of an element starts to load now. */
  starts(element: object): void {
    if (this.realm.agent.event !== '') this.started.set(element, this.realm.agent.event);
  }

  /** The last event of the parser's chain. */
  get last(): string {
    return this.chain;
  }

  /** Appends an event to the parser's chain. */
  follow(id: string, by: string): void {
    this.realm.arc(this.chain, id, by);
    this.chain = id;
  }

  /** Notes that a script ran. `load` waits for it. */
  ran(element: object | null, id: string): void {
    if (element) this.executed.set(element, id);
    if (!this.loaded) this.awaited.add(id);
  }

  /** Whether deferred scripts may run: parsing is over, and `DOMContentLoaded` has not been dispatched. */
  get deferring(): boolean {
    return !this.parsing && !this.ready;
  }

  private stateChanged(event: any): void {
    this.realm.agent.strays();
    this.parsing = false;
    const state = this.state(this.realm.global.document);
    const done = state === 'complete';
    this.step(event, 'document', done ? 'load' : 'parser', done);
  }

  /** Records the next event of the document's chain. */
  private step(event: any, type: string, by: string, waits = false): void {
    const { agent } = this.realm;
    const id = this.realm.id();
    this.dispatches.begin(event, id, type, framed(this.dispatches.type(event)));
    this.follow(id, by);
    if (waits) for (let at = 0; at < this.awaited.length; at++) this.realm.arc(this.awaited.at(at), id, 'load');
    if (type === 'DOMContentLoaded') this.ready = true;
    const state = this.state(this.realm.global.document);
    if (type === 'document') this.realm.record(INITIALISED, 'document.readyState', true, valueText(state), -1);
    agent.end();
  }

  private loadedAll(event: any): void {
    if (this.dispatches.target(event) !== this.realm.global.document) return;
    this.loaded = true;
    this.step(event, 'load', 'load');
  }

  /** Records the load or the error of an element's resource. */
  private resource(event: any, type: string): void {
    const target = this.dispatches.target(event);
    if (!this.elements.isElement(target)) return;
    const { agent } = this.realm;
    const id = this.realm.id();
    this.dispatches.begin(event, id, type, this.elements.target(target));
    const started = this.started.get(target) ?? '';
    const creator = this.creator(target);
    this.realm.arc(started, id, 'load');
    // An image loads also while it is in no document.
    if (creator !== started && (started === '' || this.elements.tag(target) !== 'img'))
      this.realm.arc(creator, id, 'load');
    this.realm.arc(this.executed.get(target) ?? '', id, 'script');
    this.realm.arc(this.inside(target), id, 'load');
    if (!this.loaded && this.elements.get(target, 'loading') !== 'lazy') this.awaited.add(id);
    agent.end();
  }
}
