/**
 * Names of elements and of their handler lists.
 *
 * An element is named by its id; else by the source position at which a script made it; else by its
 * place below an element that has a name. A name is made when it is first needed, and never changes.
 */
import { apply, newMap, newWeakMap } from 'interloper-js-recorder/natives';
import { cut, isObject, nameOf, shorten } from 'interloper-js-recorder/names';
import { inherits } from 'interloper-js-recorder/realm';
import type { WindowRealm } from './window';

const { toLowerCase } = String.prototype;

/** Stands for an interface that a worker does not have. */
const none = { prototype: {} };
/** The longest name of an element that names of its descendants begin with. */
const LONGEST = 120;
/** The largest number of children whose text is the value of an element's content. */
const MOST = 64;

export class Elements {
  private readonly names = newWeakMap<object, string>();
  private readonly taken = newMap<string, number>();
  private readonly prototypes: { node: object; element: object; document: object };
  /** The parent of a node; for the root of a shadow tree, the element that has it. */
  readonly parent: (node: any) => any;
  /** The root of the tree that a node is in. */
  readonly root: (node: any) => any;
  private readonly hostOf: (root: any) => any;
  private readonly shadows: object;
  readonly nodeType: (node: any) => number;
  readonly connected: (node: any) => boolean;
  document: object;
  private readonly attribute: (element: any, name: string) => string | null;
  private readonly localName: (element: any) => string;
  private readonly count: (element: any) => number;
  readonly textContent: (node: any) => string;
  private readonly previous: (element: any) => any;

  constructor(private readonly realm: WindowRealm) {
    const { global } = realm;
    this.document = global.document;
    // A worker has no nodes: nothing inherits from these objects, and no getter finds anything.
    const { Node = none, Element = none, Document = none } = global;
    this.prototypes = { node: Node.prototype, element: Element.prototype, document: Document.prototype };
    const parentNode = realm.getter(Node.prototype, 'parentNode');
    const { ShadowRoot = none } = global;
    this.shadows = ShadowRoot.prototype;
    this.hostOf = realm.getter(ShadowRoot.prototype, 'host');
    this.root = realm.method(Node.prototype, 'getRootNode');
    this.parent = (node) => parentNode(node) ?? this.host(node);
    this.count = realm.getter(Element.prototype, 'childElementCount');
    this.textContent = realm.getter(Node.prototype, 'textContent');
    this.connected = realm.getter(Node.prototype, 'isConnected');
    this.nodeType = realm.getter(Node.prototype, 'nodeType');
    this.attribute = realm.method(Element.prototype, 'getAttribute');
    this.localName = realm.getter(Element.prototype, 'localName');
    this.previous = realm.getter(Element.prototype, 'previousElementSibling');
  }

  isNode(object: unknown): object is object {
    return inherits(object, this.prototypes.node);
  }

  /** Whether an object is a node that is in no document. */
  isLoose(object: object): boolean {
    return this.isNode(object) && !this.connected(object);
  }

  /** The element whose shadow tree has this root, or null. */
  host(root: unknown): any {
    return inherits(root, this.shadows) ? this.hostOf(root) : null;
  }

  /** The name of a lookup of an id in the tree that a node is in, or empty if that tree is in no document. */
  lookup(node: object, id: string): string {
    const root = this.root(node);
    if (root === this.document) return `document.getElementById(${shorten(id)})`;
    const host = this.host(root);
    return host && this.connected(host) ? `${this.name(host)}.shadowRoot.getElementById(${shorten(id)})` : '';
  }

  isElement(object: unknown): object is object {
    return inherits(object, this.prototypes.element);
  }

  id(element: object): string {
    return this.attribute(element, 'id') ?? '';
  }

  get(element: object, name: string): string | null {
    return this.attribute(element, name);
  }

  tag(element: object): string {
    return apply(toLowerCase, this.localName(element), []);
  }

  /** The name of a node, such as `#results`, `li(created at app.js:12)@3` or `#list>li:2`. */
  name(node: object): string {
    const known = this.names.get(node);
    if (known !== undefined) return known;
    const fresh = this.unique(this.describe(node));
    this.names.set(node, fresh);
    return fresh;
  }

  private unique(name: string): string {
    const count = (this.taken.get(name) ?? 0) + 1;
    this.taken.set(name, count);
    return count === 1 ? name : `${name}@${count}`;
  }

  private describe(node: object): string {
    if (node === this.document) return 'document';
    if (inherits(node, this.prototypes.document)) return 'Document';
    const host = this.host(node);
    if (host) return `${this.name(host)}.shadowRoot`;
    if (!this.isElement(node)) return this.nodeType(node) === 11 ? 'fragment' : 'text';
    const id = this.id(node);
    if (id !== '') {
      const around = this.host(this.root(node));
      return around ? `${this.name(around)}/${shorten(`#${id}`)}` : shorten(`#${id}`);
    }
    const tag = this.tag(node);
    const { stamps, place } = this.realm.recorder;
    const { site } = stamps.shadowOf(node);
    const made = site < 0 ? undefined : place(site);
    if (made) return `${tag}(created at ${made})`;
    if (tag === 'html' || tag === 'body' || tag === 'head') return tag;
    const parent = this.parent(node);
    if (!isObject(parent)) return tag;
    const around = this.host(parent);
    if (!around && !this.isElement(parent)) return tag;
    const above = around ? `${this.name(around)}/` : `${this.name(parent)}>`;
    if (above.length > LONGEST) return tag;
    let index = 1;
    for (let at = this.previous(node); at; at = this.previous(at)) if (this.tag(at) === tag) index++;
    return `${above}${tag}:${index}`;
  }

  /** How often the content of each element with many children has changed. */
  private readonly versions = newWeakMap<object, number>();

  /**
   * The content of an element as text: the number of its elements, and their text. The text of many
   * elements would take too long; a number for each change takes its place.
   */
  content(element: object): string {
    const count = this.count(element);
    if (count > MOST) return cut(`${count} …`, `${this.versions.get(element) ?? 0}`);
    return cut(`${count} ${this.textContent(element)}`);
  }

  /** The content of an element after a change. */
  changed(element: object): string {
    if (this.count(element) > MOST) this.versions.set(element, (this.versions.get(element) ?? 0) + 1);
    return this.content(element);
  }

  /** The name of the list of a target's handlers for a type of event. */
  handlers(target: object, type: string): string {
    return `${this.target(target)}.handlers(${shorten(type)})`;
  }

  /** The name of an event target, such as `button#buy` or `window`. */
  target(target: object): string {
    if (target === this.realm.global) return this.document ? 'window' : 'self';
    if (!this.isNode(target)) {
      const { stamps, place } = this.realm.recorder;
      return nameOf(target, stamps.shadowOf(target), place);
    }
    const name = this.name(target);
    // In a shadow tree the name begins with that of the host.
    return name[0] === '#' && this.isElement(target) && !this.host(this.root(target)) ? this.tag(target) + name : name;
  }
}
