/**
 * Records reads of the document, and the source positions of writes.
 *
 * The mutation observer of `documents.ts` records the changes that scripts make; here the changing
 * function only stores its source position with the node. Form values are not part of the tree that an
 * observer sees, so both their reads and their writes are recorded here.
 */
import { apply, describe, newMap, newWeakMap } from 'interloper-js-recorder/natives';
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject, valueText } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';

const LISTS = ['childNodes', 'firstChild', 'lastChild', 'textContent'];
const ELEMENT_LISTS = ['children', 'firstElementChild', 'lastElementChild', 'childElementCount', 'innerHTML'];
/** Methods that change the node itself, and methods that change the node's parent. */
const INSIDE = [
  'appendChild',
  'insertBefore',
  'removeChild',
  'replaceChild',
  'append',
  'prepend',
  'replaceChildren',
  'insertAdjacentHTML',
  'insertAdjacentElement',
  'insertAdjacentText',
  'normalize',
  'setAttribute',
  'setAttributeNS',
  'removeAttribute',
  'removeAttributeNS',
  'toggleAttribute',
];
const AROUND = ['before', 'after', 'replaceWith', 'remove', 'insertAdjacentHTML', 'insertAdjacentElement'];
const SETTERS = [
  'textContent',
  'innerHTML',
  'outerHTML',
  'innerText',
  'nodeValue',
  'id',
  'className',
  'hidden',
  'title',
];

export class Tree {
  /** The last event in which each element's child list was read. */
  private readonly listed = newWeakMap<object, number>();
  /** The source position of the last change of each node, and the event of that change. */
  private readonly places = newWeakMap<object, { event: string; site: number }>();

  /** The states of each element that scripts have changed. */
  private readonly changed = newWeakMap<object, Map<string, true>>();

  /** Called for each node that is about to change. */
  watch: (node: object) => void = () => {};
  /** Called for each element whose resource starts to load. */
  starts: (element: object) => void = () => {};
  /** Called before and after markup is written into the document. */
  writes: (begins: boolean) => void = () => {};
  private readonly setText: (node: any, text: string) => void;

  constructor(private readonly dispatches: Dispatches) {
    const tree = this;
    const { global } = dispatches.realm;
    const set = describe(global.Node.prototype, 'textContent')!.set as Method;
    this.setText = (node, text) => apply(set, node, [text]);
    for (const key of LISTS) this.readsList(global.Node.prototype, key);
    for (const key of ELEMENT_LISTS) this.readsList(global.Element.prototype, key);
    this.readsList(global.HTMLElement.prototype, 'innerText');
    this.attributes();
    for (const { prototype } of [global.Node, global.Element, global.CharacterData]) {
      for (const key of INSIDE) this.changes(prototype, key, (node) => node);
      for (const key of AROUND) this.changes(prototype, key, dispatches.elements.parent);
    }
    for (const { prototype } of [global.Node, global.Element, global.HTMLElement])
      for (const key of SETTERS) this.sets(prototype, key);
    this.sets(global.CharacterData.prototype, 'data');
    this.sets(global.HTMLIFrameElement.prototype, 'srcdoc');
    const root = dispatches.realm.getter(global.Document.prototype, 'documentElement');
    // `open`, and `write` to a document that is complete, empty the document and remove its listeners.
    const reopened = (document: any, act: () => unknown): unknown => {
      const before = document === dispatches.elements.document ? root(document) : null;
      const result = act();
      if (before && root(document) !== before) dispatches.realm.restart();
      return result;
    };
    for (const key of ['write', 'writeln'])
      replace(
        global.Document.prototype,
        key,
        (original) =>
          ({
            method(...args: unknown[]) {
              for (let at = 0; at < args.length; at++) args[at] = dispatches.realm.code.markup(args[at]);
              tree.writes(true);
              try {
                return reopened(this, () => apply(original, this, args));
              } finally {
                tree.writes(false);
              }
            },
          }).method,
      );
    replace(
      global.Document.prototype,
      'open',
      (original) =>
        ({
          method(...args: unknown[]) {
            return reopened(this, () => apply(original, this, args));
          },
        }).method,
    );
    for (const key of ['classList', 'style', 'dataset', 'attributeStyleMap']) {
      this.opens(global.Element.prototype, key);
      this.opens(global.HTMLElement.prototype, key);
    }
    // These objects are views; their accesses are recorded under the names of their elements.
    for (const key of [
      'CSSStyleDeclaration',
      'DOMStringMap',
      'DOMTokenList',
      'HTMLCollection',
      'NamedNodeMap',
      'NodeList',
    ])
      dispatches.realm.recorder.makeSpecial(global[key].prototype, () => {});
  }

  /** Where the running event last changed a node. */
  site(node: object): number | undefined {
    const place = this.places.get(node);
    return place?.event === this.dispatches.realm.agent.event ? place.site : undefined;
  }

  private touch(node: unknown): void {
    const { agent, recorder } = this.dispatches.realm;
    if (!isObject(node) || agent.event === '') return;
    this.places.set(node, { event: agent.event, site: recorder.lastSite });
    this.watch(node);
  }

  private record(element: unknown, what: string, write: boolean, value: string): void {
    const { realm, elements } = this.dispatches;
    if (realm.agent.event === '' || !isObject(element) || realm.isYoung(element)) return;
    if (!elements.isElement(element)) return;
    realm.record('dom', `${elements.name(element)}.${what}`, write, value);
  }

  private readsList(holder: any, key: string): void {
    const tree = this;
    const { listed } = this;
    const { elements, realm } = this.dispatches;
    const { agent } = realm;
    realm.accessor(holder, key, {
      get: (original) =>
        ({
          method() {
            const found = apply(original, this, []);
            // At most once for each event and element, because the text of a list takes time.
            if (isObject(this) && listed.get(this) !== agent.epoch && elements.isElement(this)) {
              listed.set(this, agent.epoch);
              tree.record(this, 'childList', false, elements.content(this));
            }
            return found;
          },
        }).method,
    });
  }

  private attributes(): void {
    const tree = this;
    const { global } = this.dispatches.realm;
    const { prototype } = global.Element;
    const lower = String.prototype.toLowerCase;
    for (const key of ['getAttribute', 'hasAttribute'])
      replace(
        prototype,
        key,
        (original) =>
          ({
            method(...args: unknown[]) {
              const found = apply(original, this, args);
              if (typeof args[0] === 'string')
                tree.record(this, property(apply(lower, args[0], [])), false, valueText(found));
              return found;
            },
          }).method,
      );
    const reader =
      (key: string) =>
      (original: Method): Method =>
        ({
          method() {
            const found = apply(original, this, []);
            tree.record(this, key, false, valueText(found));
            return found;
          },
        }).method;
    this.dispatches.realm.accessor(prototype, 'className', { get: reader('className') });
    const pairs: [any, string][] = [
      [global.HTMLElement, 'hidden'],
      [global.HTMLElement, 'title'],
    ];
    for (const name of ['Button', 'Input', 'Select', 'TextArea', 'FieldSet', 'Option'])
      pairs[pairs.length] = [global[`HTML${name}Element`], 'disabled'];
    for (const name of ['Image', 'Script', 'IFrame']) pairs[pairs.length] = [global[`HTML${name}Element`], 'src'];
    pairs[pairs.length] = [global.HTMLImageElement, 'srcset'];
    for (const name of ['Anchor', 'Link']) pairs[pairs.length] = [global[`HTML${name}Element`], 'href'];
    pairs[pairs.length] = [global.HTMLDetailsElement, 'open'];
    pairs[pairs.length] = [global.HTMLDialogElement, 'open'];
    for (let at = 0; at < pairs.length; at++) {
      const [{ prototype: holder }, key] = [pairs[at]![0], pairs[at]![1]];
      this.dispatches.realm.accessor(holder, key, { get: reader(key) });
      this.sets(holder, key);
    }
    replace(
      global.DOMTokenList.prototype,
      'contains',
      (original) =>
        ({
          method(...args: unknown[]) {
            const found = apply(original, this, args);
            const owner = isObject(this) && tree.owners.get(this);
            if (owner) tree.record(owner, 'className', false, valueText(found));
            return found;
          },
        }).method,
    );
  }

  private changes(holder: any, key: string, changed: (node: any) => unknown): void {
    const tree = this;
    if (!holder) return;
    replace(
      holder,
      key,
      (original) =>
        ({
          method(...args: unknown[]) {
            if (isObject(this) && tree.dispatches.elements.isNode(this)) {
              tree.touch(changed(this));
              tree.compile(this, key, args);
            }
            return apply(original, this, args);
          },
        }).method,
    );
  }

  private sets(holder: any, key: string): void {
    const tree = this;
    this.dispatches.realm.accessor(holder, key, {
      set: (original) =>
        ({
          method(value: unknown) {
            tree.touch(this);
            if (loads.has(key)) tree.starts(this);
            if (key === 'src' && typeof value === 'string') value = tree.scriptAddress(this, value);
            const code = key === 'innerHTML' || key === 'outerHTML' || key === 'srcdoc';
            const before = states.has(key) ? tree.state(this, key) : undefined;
            const result = apply(original, this, [code ? tree.dispatches.realm.code.markup(value) : value]);
            if (before !== undefined) tree.setsAgain(this as object, key, before);
            return result;
          },
        }).method,
    });
  }

  /** The attribute by which an element has a state, as its value is recorded. */
  private state(element: unknown, key: string): string | undefined {
    const { elements } = this.dispatches;
    return elements.isElement(element) ? valueText(elements.get(element, key)) : undefined;
  }

  /** Records that a state is set again, which no mutation tells, if a script has changed it before. */
  private setsAgain(element: object, key: string, before: string): void {
    const known = this.changed.get(element);
    if (this.state(element, key) === before) {
      if (known?.has(key)) this.record(element, key, true, before);
    } else if (known) known.set(key, true);
    else {
      const keys = newMap<string, true>();
      keys.set(key, true);
      this.changed.set(element, keys);
    }
  }

  /** Puts hooks into code that a change inserts. */
  private compile(node: unknown, key: string, args: any[]): void {
    const { code } = this.dispatches.realm;
    if (key === 'insertAdjacentHTML') args[1] = code.markup(args[1]);
    else if (key === 'setAttribute') {
      const name = args[0];
      const isText = typeof name === 'string' && typeof args[1] === 'string';
      if (isText && (name[0] === 'o' || name[0] === 'O') && (name[1] === 'n' || name[1] === 'N'))
        args[1] = code.compile('handler', args[1]);
      else if (isText && name === 'srcdoc') args[1] = code.markup(args[1]);
      else if (isText && name === 'src') args[1] = this.scriptAddress(node, args[1]);
      if (isText && loads.has(name) && isObject(node)) this.starts(node);
    } else if (key === 'setAttributeNS') {
      // The images of SVG have `xlink:href`.
      if ((args[1] === 'xlink:href' || loads.has(args[1])) && isObject(node)) this.starts(node);
    } else for (let at = 0; at < args.length; at++) this.prepare(args[at]);
  }

  /** The address from which an element that is a script gets its code. */
  private scriptAddress(element: unknown, url: string): string {
    const { elements, realm } = this.dispatches;
    if (!elements.isElement(element) || elements.tag(element) !== 'script') return url;
    return realm.code.address(url, elements.get(element, 'type') === 'module');
  }

  /** Puts hooks into an inline script that has not run yet, because it runs when it is inserted. */
  private prepare(node: unknown): void {
    const { elements, realm } = this.dispatches;
    if (!elements.isElement(node) || elements.tag(node) !== 'script') return;
    if (elements.connected(node) || elements.get(node, 'src') !== null) return;
    const type = elements.get(node, 'type') ?? '';
    if (type !== '' && type !== 'module' && type !== 'text/javascript') return;
    realm.code.script(node, elements.textContent, this.setText, type === 'module');
  }

  /** The element that each token list or similar view belongs to. */
  private readonly owners = newWeakMap<object, object>();

  private opens(holder: any, key: string): void {
    const tree = this;
    this.dispatches.realm.accessor(holder, key, {
      get: (original) =>
        ({
          method() {
            const found = apply(original, this, []);
            tree.touch(this);
            if (isObject(found) && isObject(this)) tree.owners.set(found, this);
            return found;
          },
        }).method,
    });
  }
}

/** The attributes that are states of an element, and are there or not. */
const states = newMap<string, true>();
for (const name of ['disabled', 'hidden', 'open']) states.set(name, true);

/** The attributes that name the resource of an element. */
const loads = newMap<string, true>();
for (const name of ['data', 'href', 'src', 'srcset']) loads.set(name, true);

/** The name of an attribute's location. */
export function property(attribute: string): string {
  return attribute === 'class' ? 'className' : attribute;
}
