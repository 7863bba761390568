/**
 * User input. A dispatch is a task. It is ordered after the creation of its target, and after the
 * earlier inputs of its gesture. Typing writes the value of the control, and a click may check a control.
 */
import type contract from 'interloper-js-recorder/contract.json';
import { apply, newMap } from 'interloper-js-recorder/natives';
import { inherits } from 'interloper-js-recorder/realm';
import type { Changes } from './changes';
import { word } from 'interloper-js-recorder/text';
import type { Controls } from './controls';
import type { Dispatches } from './dispatch';
import type { Focus } from './focus';
import type { Loading } from './loading';
import type { Moves } from './navigation';
import type { Scripts } from './scripts';
import type { Scrolling } from './scrolling';

/** Types of input that are recorded even without a listener, because one may be added later. */
const TYPES = ['click', 'keydown', 'keypress', 'keyup', 'input', 'change', 'submit', 'reset', 'focus', 'blur'];
/** Types of input that are recorded only after a listener was added, because they come too often. */
const FREQUENT = [
  'auxclick',
  'beforeinput',
  'beforetoggle',
  'cancel',
  'characterboundsupdate',
  'close',
  'compositionend',
  'compositionstart',
  'compositionupdate',
  'contextmenu',
  'copy',
  'cut',
  'dblclick',
  'drag',
  'dragend',
  'dragenter',
  'dragleave',
  'dragover',
  'dragstart',
  'drop',
  'focusin',
  'focusout',
  'formdata',
  'gotpointercapture',
  'invalid',
  'lostpointercapture',
  'mousedown',
  'mouseenter',
  'mouseleave',
  'mousemove',
  'mouseout',
  'mouseover',
  'mouseup',
  'paste',
  'pointercancel',
  'pointerdown',
  'pointerenter',
  'pointerleave',
  'pointermove',
  'pointerout',
  'pointerover',
  'pointerup',
  'resize',
  'scroll',
  'scrollend',
  'search',
  'select',
  'selectionchange',
  'selectstart',
  'textInput',
  'textformatupdate',
  'textupdate',
  'toggle',
  'touchcancel',
  'touchend',
  'touchmove',
  'touchstart',
  'wheel',
];
/** Types of input that begin a gesture. The inputs after one belong to its gesture. */
const STARTS = ['pointerdown', 'touchstart', 'keydown', 'wheel', 'pointermove'];

const { exec } = RegExp.prototype;
/** The address of code. */
const code = /^\s*javascript:/i;

/** How inputs are ordered. */
export type InputMode = keyof typeof contract.inputs;

export class Input {
  private mode: InputMode = 'user';
  private last = '';
  private readonly frequent = newMap<string, true>();
  /** Finds the event that made an object which is no node. */
  maker: (object: object) => string = () => '';
  /** The defaults that have been stated. */
  private readonly declared = newMap<string, true>();

  constructor(
    private readonly dispatches: Dispatches,
    private readonly loading: Loading,
    private readonly scripts: Scripts,
    private readonly controls: Controls,
    private readonly focus: Focus,
    private readonly moves: Moves,
    private readonly scrolling: Scrolling,
    private readonly changes: Changes,
    mode: InputMode,
  ) {
    const { realm } = dispatches;
    const { global } = realm;
    this.mode = mode;
    realm.agent.line('attach input');
    const starts = (event: any): void => {
      if (this.mode !== 'explored' && dispatches.isNative(event)) this.last = '';
    };
    const dispatched = (event: any): void => {
      if (dispatches.isNative(event)) this.dispatched(event);
      // A script's click checks a control before any listener runs.
      else if (realm.agent.event !== '' && dispatches.type(event) === 'click')
        controls.clicked(dispatches.target(event));
    };
    const first = { capture: true, passive: true };
    realm.started(() => {
      for (let at = 0; at < STARTS.length; at++) realm.listen(global, STARTS[at]!, starts, first);
      for (let at = 0; at < TYPES.length; at++) realm.listen(global, TYPES[at]!, dispatched, first);
    });
    for (const type of FREQUENT) this.frequent.set(type, true);
    const editor = global.EditContext?.prototype;
    // Sockets and other objects have events of the same names.
    const takesInput = (target: unknown): boolean =>
      target === global || dispatches.elements.isNode(target) || (editor !== undefined && inherits(target, editor));
    dispatches.source((event, target, type) => {
      if (!this.frequent.has(type) || !takesInput(target)) return false;
      this.dispatched(event);
      return true;
    });
  }

  /** The step of a test that the next inputs belong to, or none. */
  private step = '';

  /**
   * Sets how later inputs are ordered, and which step of a test they belong to. In the mode `explored` each call
   * begins a new exploration.
   */
  become(mode: InputMode, step = ''): void {
    this.mode = mode;
    this.step = step;
    if (mode === 'explored') this.last = '';
  }

  private dispatched(event: any): void {
    const { realm, elements } = this.dispatches;
    const { agent } = realm;
    const type = this.dispatches.type(event);
    const target = this.dispatches.target(event);
    const id = realm.id();
    const isScroll = type === 'scroll' || type === 'scrollend';
    const script = isScroll ? this.scrolling.cause(target) : this.changes.cause(target, type);
    const isAutomatic = type === 'focus' && this.focus.isAutomatic(target);
    const begin = (): void => {
      agent.strays();
      if (script === '' && !isAutomatic) this.post(id);
      this.dispatches.begin(event, id, isAutomatic ? 'autofocus' : type, elements.target(target));
    };
    agent.gesture = (change) => this.post(change);
    if (type === 'focus' || type === 'blur') this.focus.moved(id, isAutomatic, begin);
    else begin();
    agent.gesture = undefined;
    realm.arc(elements.isNode(target) ? this.loading.creator(target) : this.maker(target), id, 'target');
    realm.arc(script, id, 'object');
    if (type === 'click') this.controls.clicked(target, -1);
    else if (type === 'input' || type === 'change') this.controls.typed(target);
    if (type === 'click') this.link(target, id);
    if (type === 'click' && this.controls.submits(target)) this.declare(target);
    agent.end();
  }

  /** Posts an input of the user, as the next of its gesture. */
  private post(id: string): void {
    const { realm } = this.dispatches;
    const { agent } = realm;
    agent.line(`enqueue ${id} ${this.mode === 'explored' ? 'explored' : 'input input'}${agent.stamp()}`);
    realm.arc(this.last, id);
    realm.arc(this.step, id, 'step');
    this.last = id;
  }

  /** States once that a click on an element submits a form. */
  private declare(target: any): void {
    const { realm, elements } = this.dispatches;
    const name = `${elements.target(target)}.default(click)`;
    if (this.declared.has(name)) return;
    this.declared.set(name, true);
    realm.agent.line(`location ${word(name)} kind=default`);
  }

  /** Notes a click on a link. It may move the document, or run the code of a `javascript:` address in a later task. */
  private link(target: any, id: string): void {
    const { elements } = this.dispatches;
    for (let at = target; elements.isElement(at); at = elements.parent(at)) {
      const tag = elements.tag(at);
      const address = tag === 'a' || tag === 'area' ? elements.get(at, 'href') : null;
      if (address === null) continue;
      this.moves.clicked = id;
      if (apply(exec, code, [address])) this.scripts.clicked(at, id);
      return;
    }
  }
}
