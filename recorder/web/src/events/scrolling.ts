/**
 * Scrolling by scripts. A `scroll` event comes from the user, unless a script has scrolled its target to the
 * place where the target is when the event comes. Then it follows the event that did so. Smooth scrolling
 * counts as the user's, because it has not moved anything when the call returns.
 */
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { apply, List, newWeakMap } from 'interloper-js-recorder/natives';
import type { Dispatches } from './dispatch';

/** Where a box was scrolled to, and by which event. */
interface Scrolled {
  event: string;
  left: number;
  top: number;
}

export class Scrolling {
  private readonly scrolled = newWeakMap<object, Scrolled>();
  private readonly left: (element: any) => number;
  private readonly top: (element: any) => number;
  private readonly root: (document: any) => any;

  constructor(private readonly dispatches: Dispatches) {
    const { realm } = dispatches;
    const { global } = realm;
    const { prototype } = global.Element;
    this.left = realm.getter(prototype, 'scrollLeft');
    this.top = realm.getter(prototype, 'scrollTop');
    this.root = realm.getter(global.Document.prototype, 'scrollingElement');
    const { elements } = dispatches;
    const scrolls = (element: (self: any) => object | null) => (original: Method) => this.around(original, element);
    const self = (it: any): object | null => (elements.isElement(it) ? it : null);
    for (const key of ['scrollTop', 'scrollLeft']) realm.accessor(prototype, key, { set: scrolls(self) });
    for (const key of ['scroll', 'scrollTo', 'scrollBy']) {
      replace(prototype, key, scrolls(self));
      replace(
        global,
        key,
        scrolls(() => this.root(elements.document)),
      );
    }
    for (const key of ['scrollIntoView', 'scrollIntoViewIfNeeded'])
      replace(prototype, key, (original) => this.aroundAll(original));
  }

  /** The event that scrolled the target of a `scroll` event, or none. */
  cause(target: object): string {
    const box = target === this.dispatches.elements.document ? this.root(target) : target;
    const found = box && this.scrolled.get(box);
    return found && this.left(box) === found.left && this.top(box) === found.top ? found.event : '';
  }

  /** Notes what has moved from a place. */
  private note(box: object, left: number, top: number): void {
    const { event } = this.dispatches.realm.agent;
    const [newLeft, newTop] = [this.left(box), this.top(box)];
    if (event !== '' && (newLeft !== left || newTop !== top))
      this.scrolled.set(box, { event, left: newLeft, top: newTop });
  }

  /** A function that scrolls one box. */
  private around(original: Method, boxOf: (self: any) => object | null): Method {
    const scrolling = this;
    return {
      method(this: any, ...args: unknown[]) {
        const box = boxOf(this);
        if (!box) return apply(original, this, args);
        const [left, top] = [scrolling.left(box), scrolling.top(box)];
        const result = apply(original, this, args);
        scrolling.note(box, left, top);
        return result;
      },
    }.method;
  }

  /** A function that scrolls all boxes around an element. */
  private aroundAll(original: Method): Method {
    const scrolling = this;
    const { elements } = this.dispatches;
    return {
      method(this: any, ...args: unknown[]) {
        const before = new List<{ box: object; left: number; top: number }>();
        for (let at = this; elements.isElement(at); at = elements.parent(at))
          before.add({ box: at, left: scrolling.left(at), top: scrolling.top(at) });
        const result = apply(original, this, args);
        for (let at = 0; at < before.length; at++) {
          const { box, left, top } = before.at(at);
          scrolling.note(box, left, top);
        }
        return result;
      },
    }.method;
  }
}
