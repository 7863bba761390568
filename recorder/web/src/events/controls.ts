/**
 * The states of form controls: values, checkedness and selectedness. Scripts and the user write them.
 *
 * A change of one control may change others: checking a radio button unchecks another one, and choosing
 * an option clears one. The last known state of each radio button and option shows which have changed.
 */
import { apply, newWeakMap } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import { isObject, valueText } from 'interloper-js-recorder/names';
import type { Dispatches } from './dispatch';
import { INITIALISED } from './window';

/** The largest number of radio buttons or options that are compared after a change. */
const MOST = 1000;

export class Controls {
  private readonly checked: (input: any) => boolean;
  private readonly inputType: (input: any) => string;
  private readonly inputName: (input: any) => string;
  private readonly form: (input: any) => any;
  private readonly selected: (option: any) => boolean;
  private readonly options: (select: any) => any;
  private readonly all: (root: any, selector: string) => any;
  private readonly root: (node: any) => any;
  private readonly buttonForm: (button: any) => any;
  private readonly isDefault: { checked: (input: any) => boolean; selected: (option: any) => boolean };
  /** The last known checkedness of each input, and selectedness of each option. */
  private readonly known = newWeakMap<object, boolean>();
  /** The value of a control, or undefined if it has none. */
  readonly value: (control: any) => any;

  constructor(private readonly dispatches: Dispatches) {
    const { realm, elements } = dispatches;
    const { global } = realm;
    const { HTMLInputElement: Input, HTMLOptionElement: Option, HTMLSelectElement: Select } = global;
    this.checked = realm.getter(Input.prototype, 'checked');
    this.inputType = realm.getter(Input.prototype, 'type');
    this.inputName = realm.getter(Input.prototype, 'name');
    this.form = realm.getter(Input.prototype, 'form');
    this.buttonForm = realm.getter(global.HTMLButtonElement.prototype, 'form');
    this.selected = realm.getter(Option.prototype, 'selected');
    this.options = realm.getter(Select.prototype, 'options');
    this.root = realm.method(global.Node.prototype, 'getRootNode');
    this.isDefault = {
      checked: realm.getter(Input.prototype, 'defaultChecked'),
      selected: realm.getter(Option.prototype, 'defaultSelected'),
    };
    const query = realm.method(global.Element.prototype, 'querySelectorAll');
    const queryDocument = realm.method(global.Document.prototype, 'querySelectorAll');
    this.all = (root, selector) => (elements.isElement(root) ? query(root, selector) : queryDocument(root, selector));
    const input = realm.getter(Input.prototype, 'value');
    const area = realm.getter(global.HTMLTextAreaElement.prototype, 'value');
    const select = realm.getter(Select.prototype, 'value');
    this.value = (element) => {
      const tag = elements.tag(element);
      if (tag === 'input') return input(element);
      return tag === 'textarea' ? area(element) : tag === 'select' ? select(element) : undefined;
    };
    this.patchValues();
    this.patchStates();
    this.patchReset();
  }

  /** Whether the user checks an element instead of typing into it. */
  private isChecked(element: any): boolean {
    if (!this.dispatches.elements.isElement(element) || this.dispatches.elements.tag(element) !== 'input') return false;
    const type = this.inputType(element);
    return type === 'checkbox' || type === 'radio';
  }

  private record(element: object, what: string, write: boolean, value: unknown, site?: number): void {
    const { realm, elements } = this.dispatches;
    if (realm.agent.event === '' || realm.isYoung(element) || !elements.isElement(element)) return;
    const kind = what === 'value' ? 'dom' : INITIALISED;
    realm.record(kind, `${elements.name(element)}.${what}`, write, valueText(value), site);
  }

  /** Records that a control is now in the document. */
  arrived(element: any, site: number | undefined): void {
    const { realm, elements } = this.dispatches;
    const value = this.value(element);
    if (value === undefined) return;
    realm.record('dom', `${elements.name(element)}.value`, true, valueText(value), site);
    if (!this.isChecked(element)) return;
    const checked = this.checked(element);
    this.known.set(element, checked);
    realm.record(INITIALISED, `${elements.name(element)}.checked`, true, valueText(checked), site);
  }

  /** Records what a click has changed, before any listener runs. */
  clicked(target: any, site?: number): void {
    if (this.isChecked(target)) this.check(target, site);
  }

  /** Whether a click on an element submits a form. */
  submits(target: any): boolean {
    const { elements } = this.dispatches;
    if (!elements.isElement(target)) return false;
    const tag = elements.tag(target);
    if (tag !== 'input' && tag !== 'button') return false;
    const type = tag === 'input' ? this.inputType(target) : (elements.get(target, 'type') ?? 'submit');
    const form = tag === 'input' ? this.form(target) : this.buttonForm(target);
    return (type === 'submit' || type === 'image') && form !== null;
  }

  /** Records what the user has typed or chosen. */
  typed(target: any): void {
    const value = this.dispatches.elements.isElement(target) ? this.value(target) : undefined;
    if (value === undefined) return;
    if (this.isChecked(target)) return this.check(target, -1);
    this.record(target, 'value', true, value, -1);
    this.choose(target, -1);
  }

  /** Records a change of an input's checkedness, and of the radio buttons of its group. */
  private check(input: any, site?: number): void {
    this.changed(input, 'checked', site);
    const name = this.inputName(input);
    if (this.inputType(input) !== 'radio' || name === '') return;
    const form = this.form(input);
    const group = this.all(form ?? this.root(input), 'input[type="radio"]');
    for (let at = 0; at < group.length && at < MOST; at++)
      if (this.inputName(group[at]) === name && this.form(group[at]) === form) this.changed(group[at], 'checked', site);
  }

  /** Records the changes of a list's options. */
  private choose(select: any, site?: number): void {
    const { elements } = this.dispatches;
    if (!elements.isElement(select) || elements.tag(select) !== 'select') return;
    const options = this.options(select);
    for (let at = 0; at < options.length && at < MOST; at++) this.changed(options[at], 'selected', site);
  }

  private changed(element: any, what: 'checked' | 'selected', site?: number): void {
    const now = this[what](element);
    if ((this.known.get(element) ?? this.isDefault[what](element)) === now) return;
    this.known.set(element, now);
    this.record(element, what, true, now, site);
  }

  /** The list that an option belongs to. */
  private list(option: any): any {
    const { elements } = this.dispatches;
    let at = elements.parent(option);
    while (elements.isElement(at) && elements.tag(at) !== 'select') at = elements.parent(at);
    return elements.isElement(at) ? at : undefined;
  }

  /** Records accesses of the values of controls by scripts. */
  private patchValues(): void {
    const controls = this;
    const { global } = this.dispatches.realm;
    const list: [string, string][] = [
      ['Input', 'value'],
      ['Input', 'valueAsNumber'],
      ['Input', 'valueAsDate'],
      ['TextArea', 'value'],
      ['Select', 'value'],
      ['Select', 'selectedIndex'],
      ['Select', 'selectedOptions'],
    ];
    for (let at = 0; at < list.length; at++) {
      const entry = list[at]!;
      this.dispatches.realm.accessor(global[`HTML${entry[0]}Element`].prototype, entry[1], {
        get: (original) =>
          ({
            method() {
              const found = apply(original, this, []);
              controls.record(this, 'value', false, controls.value(this));
              return found;
            },
          }).method,
        set: (original) =>
          ({
            method(value: unknown) {
              apply(original, this, [value]);
              controls.record(this, 'value', true, controls.value(this));
              controls.choose(this);
            },
          }).method,
      });
    }
  }

  /** Records accesses of checkedness and selectedness by scripts. */
  private patchStates(): void {
    const controls = this;
    const { realm } = this.dispatches;
    const { global } = realm;
    const patch = (holder: any, what: 'checked' | 'selected', spread: (element: any) => void): void =>
      realm.accessor(holder, what, {
        get: (original) =>
          ({
            method() {
              const found = apply(original, this, []);
              controls.record(this, what, false, found);
              return found;
            },
          }).method,
        set: (original) =>
          ({
            method(value: unknown) {
              apply(original, this, [value]);
              if (!isObject(this)) return;
              const now = controls[what](this);
              controls.known.set(this, now);
              controls.record(this, what, true, now);
              spread(this);
            },
          }).method,
      });
    patch(global.HTMLInputElement.prototype, 'checked', (input) => controls.check(input));
    patch(global.HTMLOptionElement.prototype, 'selected', (option) => {
      const select = controls.list(option);
      if (!select) return;
      controls.record(select, 'value', true, controls.value(select));
      controls.choose(select);
    });
  }

  /** Records what a script's reset of a form changes. */
  private patchReset(): void {
    const controls = this;
    const { realm } = this.dispatches;
    const { prototype } = realm.global.HTMLFormElement;
    const members = realm.getter(prototype, 'elements');
    replace(
      prototype,
      'reset',
      (original) =>
        ({
          method(...args: unknown[]) {
            const result = apply(original, this, args);
            const list = members(this);
            for (let at = 0; at < list.length && at < MOST; at++) controls.reset(list[at]);
            return result;
          },
        }).method,
    );
  }

  private reset(element: any): void {
    const value = this.value(element);
    if (value === undefined) return;
    if (this.isChecked(element)) return this.changed(element, 'checked');
    this.record(element, 'value', true, value);
    this.choose(element);
  }
}
