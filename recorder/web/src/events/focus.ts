/**
 * The focus, as the location `document.activeElement`. Scripts write it by `focus` and `blur`, and the
 * browser writes it after input of the user, for `autofocus`, and when the focused element is removed.
 *
 * A change is found by comparing the active element with the last known one: where a script moves the
 * focus, when an event ends, and before an event begins. A change that no event explains gets an event
 * of its own. It is part of the gesture if it is found before an input, also one in another frame of the
 * page, and is otherwise ordered only after the creation of the element.
 *
 * The browser obeys `autofocus` only while nothing has the focus, so what the user focuses or leaves comes
 * after that: had the user come first, the browser would not have moved the focus.
 *
 * The user moves the focus by most inputs. It is watched from the first script on that mentions it: in a
 * page whose scripts do not use it, nothing depends on the order of these changes.
 */
import { apply } from 'interloper-js-recorder/natives';
import { replace } from 'interloper-js-recorder/builtins';
import type { Dispatches } from './dispatch';
import type { Loading } from './loading';
import { INITIALISED } from './window';

export class Focus {
  private readonly active: (document: any) => any;
  /** Whether the user has used the page: has pressed a key, or a button of the mouse. */
  private readonly wasUsed: () => boolean;
  /** The focused element, or undefined if there is none. */
  private known: object | undefined;
  private watched = false;
  /** Whether the browser is dispatching an event about the focus, which explains a change. */
  private explained = false;
  /** The event in which the browser obeyed `autofocus`, or an empty text. */
  private automatic = '';

  constructor(
    private readonly dispatches: Dispatches,
    private readonly loading: Loading,
  ) {
    const { realm, elements } = dispatches;
    const { global } = realm;
    this.active = realm.getter(global.Document.prototype, 'activeElement');
    const activation = global.navigator.userActivation;
    const hasBeenActive = realm.getter(global.UserActivation.prototype, 'hasBeenActive');
    this.wasUsed = () => hasBeenActive(activation);
    const focus = this;
    realm.accessor(global.Document.prototype, 'activeElement', {
      get: (original) =>
        ({
          method() {
            const found = apply(original, this, []);
            if (focus.watched && realm.agent.event !== '' && this === elements.document) {
              focus.check();
              realm.record(INITIALISED, 'document.activeElement', false, focus.text());
            }
            return found;
          },
        }).method,
    });
    for (const { prototype } of [global.HTMLElement, global.SVGElement])
      for (const key of ['focus', 'blur'])
        replace(
          prototype,
          key,
          (original) =>
            ({
              method(...args: unknown[]) {
                const result = apply(original, this, args);
                focus.check();
                return result;
              },
            }).method,
        );
    realm.hooks.uf = () => {
      if (!this.watched) this.known = this.current();
      this.watched = true;
    };
    realm.started(() => {
      this.watched = false;
      this.automatic = '';
    });
  }

  private current(): object | undefined {
    const { elements } = this.dispatches;
    const found = this.active(elements.document);
    return elements.isElement(found) && elements.tag(found) !== 'body' ? found : undefined;
  }

  private text(): string {
    return this.known ? this.dispatches.elements.target(this.known) : 'body';
  }

  /** Records a change of the focus in the running event. */
  private check(site?: number): void {
    const { realm } = this.dispatches;
    if (realm.agent.event === '' || !this.watched) return;
    const now = this.current();
    if (now === this.known) return;
    this.known = now;
    realm.record(INITIALISED, 'document.activeElement', true, this.text(), site);
  }

  /** Whether the browser moves the focus to `target` because of its attribute, and nobody has used the page yet. */
  isAutomatic(target: unknown): boolean {
    const { elements } = this.dispatches;
    if (this.automatic !== '' || target === this.known || this.wasUsed()) return false;
    return elements.isElement(target) && elements.get(target, 'autofocus') !== null;
  }

  /** Begins the event `id`, in which the browser reports that the focus has moved. */
  moved(id: string, isAutomatic: boolean, begin: () => void): void {
    this.explained = true;
    begin();
    this.explained = false;
    if (isAutomatic) this.automatic = id;
    else this.dispatches.realm.arc(this.automatic, id, 'object');
    this.check(-1);
  }

  /** Records a change since the last call. */
  drain(): void {
    const { realm, elements } = this.dispatches;
    const { agent } = realm;
    if (agent.event !== '') return this.check();
    if (this.explained || !this.watched) return;
    const now = this.current();
    if (now === this.known) return;
    // An event that begins while none runs calls this function again.
    this.explained = true;
    const id = realm.id();
    agent.gesture?.(id);
    const isAutomatic = !agent.gesture && this.isAutomatic(now);
    agent.begin(id, isAutomatic ? 'autofocus' : 'focus', now ? elements.target(now) : 'body');
    if (isAutomatic) this.automatic = id;
    else if (agent.gesture) realm.arc(this.automatic, id, 'object');
    if (now) realm.arc(this.loading.creator(now), id, 'target');
    this.explained = false;
    this.check(-1);
    agent.end();
  }
}
