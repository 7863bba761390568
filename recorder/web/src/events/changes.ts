/**
 * Events that tell of a change which the user or a script may have made: of a selection, of a dialog, of a
 * popover, of `details`. The browser queues them after the change. Such an event comes from the user, unless
 * a script has put its target into the state in which the target is when the event comes. Then it follows
 * the event that did so.
 *
 * A change that a script makes in another way, such as by removing the selected text, counts as the user's.
 */
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { apply, bareArray, newMap, newWeakMap } from 'interloper-js-recorder/natives';
import { isObject } from 'interloper-js-recorder/names';
import { inherits } from 'interloper-js-recorder/realm';
import type { Dispatches } from './dispatch';

/** The types of these events, for each kind of state. */
const TYPES = { selection: ['selectionchange'], text: ['selectionchange', 'select'], open: ['toggle', 'close'] };
type Kind = keyof typeof TYPES;

const ENDS = ['anchorNode', 'anchorOffset', 'focusNode', 'focusOffset'];
const SELECTS = [
  'addRange',
  'collapse',
  'collapseToEnd',
  'collapseToStart',
  'deleteFromDocument',
  'empty',
  'extend',
  'modify',
  'removeAllRanges',
  'removeRange',
  'selectAllChildren',
  'setBaseAndExtent',
  'setPosition',
];
const OPENS: [string, string[]][] = [
  ['HTMLDialogElement', ['show', 'showModal', 'close', 'requestClose']],
  ['HTMLElement', ['showPopover', 'hidePopover', 'togglePopover']],
];

/** The state that an event has left a target in. */
interface Change {
  event: string;
  state: unknown[];
  /** The types of the events that have not come yet. */
  left: Map<string, true>;
}

function pair(one: unknown, two: unknown): unknown[] {
  const found = bareArray<unknown>();
  found[0] = one;
  found[1] = two;
  return found;
}

function isSame(one: unknown[], two: unknown[]): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== two[at]) return false;
  return true;
}

export class Changes {
  private readonly changes = newWeakMap<object, Change>();
  private readonly states: Record<Kind, (target: any) => unknown[]>;

  constructor(private readonly dispatches: Dispatches) {
    const { realm, elements } = dispatches;
    const { global } = realm;
    const { Selection, HTMLInputElement, HTMLTextAreaElement } = global;
    const selectionOf = realm.method(global.Document.prototype, 'getSelection');
    const ends = bareArray<(selection: any) => unknown>();
    for (const key of ENDS) ends[ends.length] = realm.getter(Selection.prototype, key);
    const bounds = (key: string): ((control: any) => unknown) => {
      const input = realm.getter(HTMLInputElement.prototype, key);
      const area = realm.getter(HTMLTextAreaElement.prototype, key);
      return (control) => (elements.tag(control) === 'textarea' ? area(control) : input(control));
    };
    const [start, end] = [bounds('selectionStart'), bounds('selectionEnd')];
    const matches = realm.method(global.Element.prototype, 'matches');
    this.states = {
      selection: () => {
        const selection = selectionOf(elements.document);
        const found = bareArray<unknown>();
        for (let at = 0; at < ends.length; at++) found[at] = selection ? ends[at]!(selection) : null;
        return found;
      },
      text: (control) => pair(start(control), end(control)),
      open: (element) => pair(elements.get(element, 'open') !== null, matches(element, ':popover-open')),
    };
    const document = (): object => elements.document;
    const self = (it: unknown): object | undefined => (elements.isElement(it) ? it : undefined);
    for (const key of SELECTS) this.watch(Selection.prototype, key, 'selection', document);
    for (const { prototype } of [HTMLInputElement, HTMLTextAreaElement]) {
      for (const key of ['select', 'setSelectionRange', 'setRangeText']) this.watch(prototype, key, 'text', self);
      for (const key of ['selectionStart', 'selectionEnd'])
        realm.accessor(prototype, key, { set: (original) => this.around(original, 'text', self) });
    }
    this.watch(global.HTMLElement.prototype, 'focus', 'selection', document);
    for (const [name, keys] of OPENS) for (const key of keys) this.watch(global[name]?.prototype, key, 'open', self);
    for (const name of ['HTMLDetailsElement', 'HTMLDialogElement'])
      realm.accessor(global[name]?.prototype, 'open', { set: (original) => this.around(original, 'open', self) });
  }

  /** The event that made the change which an event tells of, or none. */
  cause(target: unknown, type: string): string {
    if (!isObject(target)) return '';
    const change = this.changes.get(target);
    if (!change?.left.has(type)) return '';
    change.left.delete(type);
    const kind = this.kindOf(target, type);
    if (kind && isSame(this.states[kind](target), change.state)) return change.event;
    this.changes.delete(target);
    return '';
  }

  private kindOf(target: object, type: string): Kind | undefined {
    const { elements, realm } = this.dispatches;
    if (type === 'toggle' || type === 'close') return 'open';
    if (target === elements.document) return 'selection';
    const { HTMLInputElement, HTMLTextAreaElement } = realm.global;
    const isText = inherits(target, HTMLInputElement.prototype) || inherits(target, HTMLTextAreaElement.prototype);
    return isText ? 'text' : undefined;
  }

  private watch(holder: any, key: string, kind: Kind, targetOf: (self: unknown) => object | undefined): void {
    if (holder && key in holder) replace(holder, key, (original) => this.around(original, kind, targetOf));
  }

  /** A function that may change the state of a target. */
  private around(original: Method, kind: Kind, targetOf: (self: unknown) => object | undefined): Method {
    const changes = this;
    const { agent } = this.dispatches.realm;
    return {
      method(this: unknown, ...args: unknown[]) {
        const target = agent.event === '' ? undefined : targetOf(this);
        if (!target) return apply(original, this, args);
        const before = changes.states[kind](target);
        const result = apply(original, this, args);
        const state = changes.states[kind](target);
        if (!isSame(before, state)) changes.note(target, kind, state);
        return result;
      },
    }.method;
  }

  private note(target: object, kind: Kind, state: unknown[]): void {
    const left = newMap<string, true>();
    const types = TYPES[kind];
    for (let at = 0; at < types.length; at++) left.set(types[at]!, true);
    this.changes.set(target, { event: this.dispatches.realm.agent.event, state, left });
  }
}
