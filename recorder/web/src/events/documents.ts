/**
 * Documents: what the parser inserts, scripts, and the events that end loading.
 *
 * The parser's work is seen by a mutation observer. It is told as events of type `parse`, one for
 * each element that has something to tell (an id, a handler, a form value, a script) together with
 * the plain ones that follow it, in document order. Scripts that block the parser, deferred ones,
 * `DOMContentLoaded` and `load` follow in that chain; other scripts follow only what inserted them.
 * What a script changes in the document is told in the event of the script, from the same observer.
 */
import { apply, define, List, newMap, newWeakMap } from '../natives';
import { shorten, valueText } from '../names';
import type { Dispatches } from './dispatch';
import { property, type Tree } from './dom';
import type { Elements } from './elements';
import type { Realm } from './realm';

type Mode = 'parser' | 'free' | 'ordered';

interface Script {
  id: string;
  mode: Mode;
}

export class Documents {
  private readonly realm: Realm;
  private readonly elements: Elements;
  private readonly observer: any;
  private readonly take: (observer: any) => any[];
  private readonly state: (document: any) => string;
  private readonly currentScript: (document: any) => any;
  private readonly all: (node: any, selector: string) => any;
  private readonly connected: (node: any) => boolean;
  private readonly attributes: (element: any) => any;
  private readonly attributeName: (attribute: any) => string;
  private readonly currentTarget: (event: any) => any;
  private readonly contentWindow: (frame: any) => any;
  private readonly isAsync: (script: any) => boolean;
  readonly control: (control: any) => any;
  /** What inserted each element, where that was an event. */
  private readonly creators = newWeakMap<object, string>();
  /** Callbacks of the handler attributes that scripts have set, by type of event. */
  private readonly attributed = newWeakMap<object, Map<string, string>>();
  private readonly scripts = newWeakMap<object, Script>();
  /** The event in which a script element's code ran. */
  private readonly executed = newWeakMap<object, string>();
  /** What `load` waits for. */
  private readonly awaited = new List<string>();
  /** The last event of the parser's chain. */
  private chain = '';
  private ordered = '';
  private parsing = true;
  private loaded = false;
  /** The running event is a module's. */
  private module = '';

  constructor(private readonly dispatches: Dispatches) {
    const { realm, elements } = dispatches;
    this.realm = realm;
    this.elements = elements;
    const { global } = realm;
    this.take = realm.method(global.MutationObserver.prototype, 'takeRecords');
    this.state = realm.getter(global.Document.prototype, 'readyState');
    this.currentScript = realm.getter(global.Document.prototype, 'currentScript');
    this.all = realm.method(global.Element.prototype, 'querySelectorAll');
    this.connected = realm.getter(global.Node.prototype, 'isConnected');
    this.attributes = realm.getter(global.Element.prototype, 'attributes');
    this.attributeName = realm.getter(global.Attr.prototype, 'name');
    this.isAsync = realm.getter(global.HTMLScriptElement.prototype, 'async');
    const input = realm.getter(global.HTMLInputElement.prototype, 'value');
    const area = realm.getter(global.HTMLTextAreaElement.prototype, 'value');
    const select = realm.getter(global.HTMLSelectElement.prototype, 'value');
    this.control = (element) => {
      const tag = elements.tag(element);
      if (tag === 'input') return input(element);
      return tag === 'textarea' ? area(element) : tag === 'select' ? select(element) : undefined;
    };
    this.observer = new global.MutationObserver((records: any[]) => this.delivered(records));
    const observe = realm.method(global.MutationObserver.prototype, 'observe');
    this.currentTarget = realm.getter(global.Event.prototype, 'currentTarget');
    realm.accessor(global.Document.prototype, 'readyState', {
      get: (original) => ({
        method() {
          const found = apply(original, this, []);
          if (realm.agent.event !== '' && this === elements.document)
            realm.tell('dom', 'document.readyState', false, valueText(found));
          return found;
        },
      }).method,
    });
    this.contentWindow = realm.getter(global.HTMLIFrameElement.prototype, 'contentWindow');
    define(realm.hooks, 'documents', { value: this });
    realm.started(() => this.attach(observe));
    // Resources of elements that are in no document, whose events pass by nobody.
    dispatches.source((event, target, type) => {
      if ((type !== 'load' && type !== 'error') || !elements.isElement(target)) return false;
      this.resource(event, type);
      return true;
    });
    realm.hooks.began = (file: string, kind: string) => this.began(file, kind);
  }

  /** Begins with the window's document. */
  private attach(observe: (...args: any[]) => void): void {
    const { document } = this.realm.global;
    this.elements.document = document;
    this.parsing = true;
    this.loaded = false;
    this.ready = false;
    this.awaited.clear();
    this.chain = this.around();
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    observe(this.observer, document, what);
    this.listen(document);
  }

  /** What made the frame that the document is in, as far as that is of the same origin. */
  private around(): string {
    const { global, agent, code } = this.realm;
    if (agent.event !== '') return agent.event;
    agent.strays();
    try {
      const { frameElement } = global;
      return frameElement ? (global.parent[code.hooks].documents as Documents).creator(frameElement) : '';
    } catch {
      return '';
    }
  }

  /** The last event of the document in a frame. */
  private inside(frame: object): string {
    if (this.elements.tag(frame) !== 'iframe') return '';
    try {
      const inner = this.contentWindow(frame)[this.realm.code.hooks].documents as Documents;
      return inner === this ? '' : inner.chain;
    } catch {
      return '';
    }
  }

  private listen(document: any): void {
    const { global } = this.realm;
    const on = (target: any, type: string, act: (event: any) => void) =>
      this.realm.listen(target, type, (event: any) => this.dispatches.isNative(event) && act(event), true);
    on(document, 'readystatechange', (event) => this.stateChanged(event));
    on(global, 'DOMContentLoaded', (event) => this.step(event, 'DOMContentLoaded', 'parser'));
    on(global, 'load', (event) => this.loadedAll(event));
    for (const type of ['load', 'error'])
      on(document, type, (event) => this.resource(event, type));
  }

  /** What created an element, itself or around it. */
  creator(element: any): string {
    for (let at = element; at; at = this.elements.parent(at)) {
      const found = this.creators.get(at);
      if (found !== undefined) return found;
    }
    return '';
  }

  /** A resource of an element starts to load now. */
  starts(element: object): void {
    if (this.realm.agent.event !== '') this.creators.set(element, this.realm.agent.event);
  }

  private delivered(records: any[]): void {
    this.changed(records);
    this.drain();
  }

  drain(): void {
    const records = this.take(this.observer);
    if (records.length > 0) this.changed(records);
  }

  private changed(records: any[]): void {
    const { event } = this.realm.agent;
    if (event === '') return this.parsing ? this.parsed(records) : undefined;
    for (let at = 0; at < records.length; at++) this.mutated(records[at], event);
  }

  /** The parser inserted something. */
  private parsed(records: any[]): void {
    const { agent } = this.realm;
    let open = '';
    for (let at = 0; at < records.length; at++) {
      const { addedNodes } = records[at];
      for (let index = 0; index < addedNodes.length; index++) {
        const node = addedNodes[index];
        if (!this.elements.isElement(node)) continue;
        if (open === '' || this.tells(node)) {
          if (open !== '') agent.end();
          open = this.realm.id();
          agent.begin(open, 'parse', this.elements.target(node));
          this.follow(open, 'parser');
        }
        this.arrived(node, open, true);
        this.list(records[at].target);
      }
    }
    if (open !== '') agent.end();
  }

  /** The event is the next of the parser's chain. */
  private follow(id: string, by: string): void {
    this.realm.arc(this.chain, id, by);
    this.chain = id;
  }

  private list(parent: any): void {
    if (this.elements.isElement(parent) && this.elements.id(parent) !== '')
      this.tell(parent, 'childList', this.elements.content(parent), -1);
  }

  private tell(element: any, what: string, value: string, site = this.tree?.site(element)): void {
    if (this.realm.isYoung(element)) return;
    this.realm.tell('dom', `${this.elements.name(element)}.${what}`, true, value, site);
  }

  /** Whether an element has something to tell when it is inserted. */
  private tells(element: any): boolean {
    const attributes = this.attributes(element);
    for (let at = 0; at < attributes.length; at++) {
      const name = this.attributeName(attributes[at]);
      if (name === 'id' || (name[0] === 'o' && name[1] === 'n')) return true;
    }
    return this.elements.tag(element) === 'script' || this.control(element) !== undefined;
  }

  /** An element is now in the document. */
  private arrived(element: any, event: string, byParser: boolean): void {
    this.creators.set(element, event);
    const attributes = this.attributes(element);
    const site = byParser ? -1 : undefined;
    for (let at = 0; at < attributes.length; at++)
      this.handler(element, this.attributeName(attributes[at]), site);
    const id = this.elements.id(element);
    if (id !== '') this.identified(id, this.elements.target(element), site);
    const value = this.control(element);
    if (value !== undefined)
      this.realm.tell('dom', `${this.elements.name(element)}.value`, true, valueText(value), site);
    if (this.elements.tag(element) === 'script') this.noteScript(element, byParser);
  }

  /** An attribute of an element is a handler, if that is what it is. */
  private handler(element: any, name: string, site: number | undefined): void {
    if (name[0] !== 'o' || name[1] !== 'n') return;
    let type = '';
    for (let letter = 2; letter < name.length; letter++) type += name[letter];
    this.dispatches.listed(element, type, name, name, site);
    if (site === -1 || this.realm.agent.event === '') return;
    // Set by a script, which the handler's calls come after.
    const callback = this.realm.id();
    let types = this.attributed.get(element);
    if (!types) this.attributed.set(element, (types = newMap()));
    types.set(type, callback);
    this.realm.agent.line(`register ${callback}${this.realm.site()}`);
  }

  private identified(id: string, value: string, site?: number): void {
    this.realm.tell('dom', `document.getElementById(${shorten(id)})`, true, value, site);
  }

  /** A script of the page's changed the document. */
  private mutated(record: any, event: string): void {
    const { target, type } = record;
    if (type === 'attributes') return this.changedAttribute(target, record.attributeName);
    if (type === 'characterData') {
      const parent = this.elements.parent(target);
      if (parent && this.elements.isElement(parent))
        this.tell(parent, 'childList', this.elements.content(parent), this.tree?.site(target));
      return;
    }
    if (this.elements.isElement(target)) this.tell(target, 'childList', this.elements.content(target));
    this.each(record.removedNodes, (element) => {
      const id = this.elements.id(element);
      if (id !== '' && !this.connected(element)) this.identified(id, 'null');
    });
    this.each(record.addedNodes, (element) => {
      if (this.connected(element)) this.arrived(element, event, false);
    });
  }

  /** Every element of a list of nodes, and inside them. */
  private each(nodes: any, act: (element: any) => void): void {
    for (let at = 0; at < nodes.length; at++) {
      if (!this.elements.isElement(nodes[at])) continue;
      act(nodes[at]);
      const inner = this.all(nodes[at], '[id],script,input,textarea,select');
      for (let index = 0; index < inner.length; index++) act(inner[index]);
    }
  }

  private changedAttribute(element: any, name: string): void {
    const value = this.elements.get(element, name);
    if (name === 'id' && value) this.identified(value, this.elements.target(element));
    if (name[0] !== 'o' || name[1] !== 'n') return this.tell(element, property(name), valueText(value));
    this.handler(element, name, undefined);
  }

  private noteScript(element: any, byParser: boolean): void {
    if (this.scripts.has(element)) return;
    const { elements } = this;
    const free = byParser ? elements.get(element, 'async') !== null : this.isAsync(element);
    const fetched = elements.get(element, 'src') !== null || elements.get(element, 'type') === 'module';
    const mode: Mode = !fetched || !free ? (byParser ? 'parser' : 'ordered') : 'free';
    const id = this.realm.id();
    this.scripts.set(element, { id, mode });
    if (mode !== 'parser' && fetched) this.realm.enqueue(id, 'scripts');
  }

  /** Rewritten code begins to run. */
  private began(file: string, kind: string): void {
    const { agent } = this.realm;
    if (kind === 'h') return this.dispatchesHandler();
    if (kind !== 's' && kind !== 'm') return;
    const inModule = kind === 'm' && agent.event !== '' && agent.event === this.module;
    if (agent.event !== '' && !inModule) return;
    if (agent.event !== '') agent.end();
    else agent.strays();
    const element = this.currentScript(this.realm.global.document);
    const known = element ? this.scripts.get(element) : undefined;
    const id = known?.id ?? this.realm.id();
    agent.begin(id, 'script', file);
    if (inModule) this.realm.arc(this.module, id, 'script');
    if (kind === 'm') {
      this.module = id;
      this.evaluated(file, id);
    }
    if (known?.mode === 'parser' || (!element && kind === 'm' && this.deferred()))
      this.follow(id, 'parser');
    else if (known?.mode === 'ordered') {
      this.realm.arc(this.ordered, id, 'script');
      this.ordered = id;
    }
    if (element) this.executed.set(element, id);
    if (!this.loaded) this.awaited.add(id);
    agent.endLater();
  }

  /** Whether deferred scripts are running: parsing is over, and DOMContentLoaded is to come. */
  private deferred(): boolean {
    return !this.parsing && !this.ready;
  }
  private ready = false;
  /** Hears of modules that run. */
  evaluated: (file: string, event: string) => void = () => {};
  /** Knows where nodes were changed. */
  tree: Tree | undefined;

  /** A handler attribute's code begins. */
  private dispatchesHandler(): void {
    const { agent, global } = this.realm;
    if (agent.event !== '') return;
    const { event } = global;
    if (event && !agent.isAlive && !this.dispatches.task(event)) this.dispatches.find(event);
    const type = event ? this.dispatches.type(event) : '';
    agent.begin(this.realm.id(), 'listener', event ? `on ${type}` : 'handler');
    const callback = event && this.attributed.get(this.currentTarget(event))?.get(type);
    if (callback) agent.line(`invoke ${callback}`);
    agent.endLater();
  }

  private stateChanged(event: any): void {
    this.realm.agent.strays();
    this.parsing = false;
    const state = this.state(this.realm.global.document);
    const done = state === 'complete';
    this.step(event, 'document', done ? 'load' : 'parser', done);
  }

  /** The next event of the document's chain. */
  private step(event: any, type: string, by: string, waits = false): void {
    const { agent } = this.realm;
    const id = this.realm.id();
    this.dispatches.begin(event, id, type, this.dispatches.type(event));
    this.follow(id, by);
    if (waits) for (let at = 0; at < this.awaited.length; at++) this.realm.arc(this.awaited.at(at), id, 'load');
    if (type === 'DOMContentLoaded') this.ready = true;
    const state = this.state(this.realm.global.document);
    if (type === 'document') this.realm.tell('dom', 'document.readyState', true, valueText(state), -1);
    agent.end();
  }

  private loadedAll(event: any): void {
    if (this.dispatches.target(event) !== this.realm.global.document) return;
    this.loaded = true;
    this.step(event, 'load', 'load');
  }

  /** The load or error of an element's resource. */
  private resource(event: any, type: string): void {
    const target = this.dispatches.target(event);
    if (!this.elements.isElement(target)) return;
    const { agent } = this.realm;
    const id = this.realm.id();
    this.dispatches.begin(event, id, type, this.elements.target(target));
    this.realm.arc(this.creator(target), id, 'load');
    this.realm.arc(this.executed.get(target) ?? '', id, 'script');
    this.realm.arc(this.inside(target), id, 'load');
    if (!this.loaded && this.elements.get(target, 'loading') !== 'lazy') this.awaited.add(id);
    agent.end();
  }
}
