/**
 * Records the changes of a document, which a mutation observer reports.
 *
 * The parser's work is recorded as events of type `parse`, in document order. Such an event covers an
 * element whose insertion is an access (it has an id, a handler or a form value, or it is a script) and
 * the plain elements that follow it. A script's changes are recorded in the event of the script.
 */
import { gate, reserved } from 'interloper-js-recorder/contract.json';
import { apply, newWeakMap } from 'interloper-js-recorder/natives';
import { valueText } from 'interloper-js-recorder/names';
import { inherits } from 'interloper-js-recorder/realm';
import type { Dispatches } from './dispatch';
import type { Controls } from './controls';
import { property, type Tree } from './dom';
import type { Elements } from './elements';
import type { Loading } from './loading';
import { INITIALISED, type WindowRealm } from './window';
import type { Scripts } from './scripts';

const { indexOf } = String.prototype;
/** What the addresses of a replay's gates begin with. */
const gates = `${reserved}${gate}/`;

export class Documents {
  private readonly realm: WindowRealm;
  private readonly elements: Elements;
  private readonly observer: any;
  private readonly observe: (root: any) => void;
  private readonly take: (observer: any) => any[];
  private readonly all: (node: any, selector: string) => any;
  private readonly connected: (node: any) => boolean;
  private readonly attributes: (element: any) => any;
  private readonly attributeName: (attribute: any) => string;
  private readonly isTitle: (node: unknown) => boolean;
  private readonly title: (document: any) => string;
  /** The source positions at which scripts changed nodes. */
  tree: Tree | undefined;
  /** Called for each element that is now in the document. */
  inserted: (element: object) => void = () => {};
  /** Called for each element whose class or style a script has changed. */
  restyled: (element: object) => void = () => {};
  /** Whether a script writes markup. */
  private writing = false;
  /** The last event in which a change of each child list was recorded. */
  private readonly listed = newWeakMap<object, number>();

  constructor(
    private readonly dispatches: Dispatches,
    private readonly loading: Loading,
    private readonly scripts: Scripts,
    private readonly controls: Controls,
  ) {
    const { realm, elements } = dispatches;
    this.realm = realm;
    this.elements = elements;
    const { global } = realm;
    this.take = realm.method(global.MutationObserver.prototype, 'takeRecords');
    this.all = realm.method(global.Element.prototype, 'querySelectorAll');
    this.connected = realm.getter(global.Node.prototype, 'isConnected');
    this.attributes = realm.getter(global.Element.prototype, 'attributes');
    this.attributeName = realm.getter(global.Attr.prototype, 'name');
    this.isTitle = (node) => inherits(node, global.HTMLTitleElement.prototype);
    this.title = realm.getter(global.Document.prototype, 'title');
    this.observer = new global.MutationObserver((records: any[]) => this.delivered(records));
    const observe = realm.method(global.MutationObserver.prototype, 'observe');
    this.observe = (root) => observe(this.observer, root, what);
    const everything = realm.method(global.Document.prototype, 'querySelectorAll');
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    let restarts = false;
    realm.started(() => {
      this.observe(global.document);
      // What the parser inserted before the window's new document was noticed.
      const target = global.document;
      if (restarts && realm.agent.event === '') this.parsed([{ target, addedNodes: everything(target, '*') }]);
      restarts = true;
    });
  }

  /** The roots outside of the document that are observed. */
  private readonly watched = newWeakMap<object, true>();
  /** The elements whose ids can be looked up. */
  private readonly present = newWeakMap<object, true>();

  /** Observes the root of a shadow tree that was made. */
  shadow(root: object): void {
    this.watched.set(root, true);
    this.observe(root);
  }

  /** Observes the tree of a node that is about to change, if it is in no document and this event did not make it. */
  watch(node: object): void {
    if (!this.elements.isNode(node) || this.connected(node) || this.realm.isYoung(node)) return;
    const root = this.elements.root(node);
    if (!this.watched.has(root)) this.shadow(root);
  }

  /** Notes that a script begins or ends to write markup, which the parser inserts at once. */
  writes(begins: boolean): void {
    this.drain();
    this.writing = begins;
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
    if (event === '') return this.loading.parsing ? this.parsed(records) : undefined;
    this.realm.agent.changed();
    this.realm.agent.isTouched = true;
    for (let at = 0; at < records.length; at++) this.mutated(records[at], event);
  }

  /** Records the elements that the parser inserted. */
  private parsed(records: any[]): void {
    const { agent } = this.realm;
    let open = '';
    agent.isTouched = true;
    agent.isBatch = true;
    for (let at = 0; at < records.length; at++) {
      const { addedNodes } = records[at];
      for (let index = 0; index < addedNodes.length; index++) {
        const node = addedNodes[index];
        if (!this.elements.isElement(node) || this.isGate(node)) continue;
        if (open === '' || this.hasAccesses(node)) {
          if (open !== '') agent.end();
          open = this.realm.id();
          agent.begin(open, 'parse', this.elements.target(node));
          this.loading.follow(open, 'parser');
        }
        this.arrived(node, open, true);
        const { target } = records[at];
        if (this.elements.isElement(target) && this.elements.id(target) !== '') this.list(target, -1);
      }
    }
    agent.isBatch = false;
    if (open !== '') agent.end();
  }

  /** Whether an element is a script of a replay that holds the parser back. */
  private isGate(element: object): boolean {
    if (!this.realm.agent.holds || this.elements.tag(element) !== 'script') return false;
    const source = this.elements.get(element, 'src');
    return source !== null && apply(indexOf, source, [gates]) === 0;
  }

  /** Records that a child list has changed, at most once an event. */
  private list(parent: any, site: number | undefined): void {
    const { epoch } = this.realm.agent;
    if (this.listed.get(parent) === epoch) return;
    const host = this.elements.host(parent);
    if (host && !this.realm.isYoung(host)) {
      this.listed.set(parent, epoch);
      return this.record(parent, 'childList', valueText(this.elements.textContent(parent)), site);
    }
    if (!this.elements.isElement(parent)) return;
    this.listed.set(parent, epoch);
    if (this.isTitle(parent)) this.titled(site);
    this.record(parent, 'childList', this.elements.changed(parent), site);
  }

  /** Records that an element has changed the title of the document. */
  private titled(site: number | undefined): void {
    this.realm.record(INITIALISED, 'document.title', true, valueText(this.title(this.elements.document)), site);
  }

  private record(element: any, what: string, value: string, site = this.tree?.site(element)): void {
    if (this.realm.isYoung(element)) return;
    this.realm.record('dom', `${this.elements.name(element)}.${what}`, true, value, site);
  }

  /** Whether inserting an element is an access: it has an id or a handler, is a script, or is a form control. */
  private hasAccesses(element: any): boolean {
    const attributes = this.attributes(element);
    for (let at = 0; at < attributes.length; at++) {
      const name = this.attributeName(attributes[at]);
      if (name === 'id' || (name[0] === 'o' && name[1] === 'n')) return true;
    }
    return this.elements.tag(element) === 'script' || this.controls.value(element) !== undefined;
  }

  /** Records that an element is now in the document. */
  private arrived(element: any, event: string, byParser: boolean): void {
    this.loading.created(element, event);
    this.inserted(element);
    const attributes = this.attributes(element);
    const site = byParser ? -1 : undefined;
    for (let at = 0; at < attributes.length; at++) this.handler(element, this.attributeName(attributes[at]), site);
    const id = this.elements.id(element);
    if (id !== '') {
      this.present.set(element, true);
      this.identified(element, id, this.elements.target(element), site);
    }
    this.controls.arrived(element, site);
    if (this.isTitle(element)) this.titled(site);
    if (this.elements.tag(element) === 'script') this.scripts.note(element, byParser || this.writing);
  }

  /** Records an attribute of an element that is a handler, if it is one. */
  private handler(element: any, name: string, site: number | undefined): void {
    if (name[0] !== 'o' || name[1] !== 'n') return;
    let type = '';
    for (let letter = 2; letter < name.length; letter++) type += name[letter];
    this.dispatches.listed(element, type, name, name, site);
    if (site !== -1 && this.realm.agent.event !== '') this.scripts.handler(element, type);
  }

  /** Records what a lookup of an id finds from now on, in the tree that a node is in. */
  private identified(node: any, id: string, value: string, site?: number): void {
    const name = this.elements.lookup(node, id);
    if (name !== '') this.realm.record('dom', name, true, value, site);
  }

  /** Records a change that a script of the page made to the document. */
  private mutated(record: any, event: string): void {
    const { target, type } = record;
    if (type === 'attributes') return this.changedAttribute(target, record.attributeName);
    if (type === 'characterData') {
      const parent = this.elements.parent(target);
      if (parent) this.list(parent, this.tree?.site(target));
      return;
    }
    this.list(target, this.tree?.site(target));
    this.each(record.removedNodes, (element) => {
      const id = this.elements.id(element);
      if (id === '' || this.connected(element) || !this.present.has(element)) return;
      this.present.delete(element);
      // The tree that it was in, unless that has been removed, too.
      this.identified(this.connected(target) ? target : this.elements.document, id, 'null');
    });
    this.each(record.addedNodes, (element) => {
      if (this.connected(element)) this.arrived(element, event, false);
    });
  }

  /** Calls `act` for every element in a list of nodes, and for the elements inside them. */
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
    if (name === 'class' || name === 'style') this.restyled(element);
    if (name === 'id' && value) {
      this.present.set(element, true);
      this.identified(element, value, this.elements.target(element));
    }
    if (name[0] !== 'o' || name[1] !== 'n') return this.record(element, property(name), valueText(value));
    this.handler(element, name, undefined);
  }
}
