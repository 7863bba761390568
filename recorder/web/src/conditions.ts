/**
 * Evaluates what the steps of a test wait for or look at, in a world of its own beside the page's: functions that
 * the page or the recorder has replaced are not used, and nothing is recorded. Elements are found by the code of
 * the program that drives the test, so that selectors mean what they mean to the test.
 *
 * The runtime in the page asks by an event, synchronously, at the end of an event that has changed the document; the
 * answer is another event, with the values of all conditions in their order as JSON. The value of what a step
 * waits for is a boolean, that of what a step looks at is a text. It is null if it cannot be told.
 */

/** A step that waits or looks. */
interface Condition {
  api: string;
  params: any;
}

/** The driver's code in a page. */
interface Finder {
  parseSelector(selector: string): any;
  querySelectorAll(selector: any, root: Node): Element[];
  elementState(element: Element, state: string, frameVisible: boolean): any;
  retarget?(element: Element, how: string): Element;
}

/** The longest text of a value. */
const LONGEST = 2000;

export function start(make: () => Finder, conditions: readonly Condition[], channel: string): void {
  const global = globalThis as any;
  // A window keeps its global when its first, empty document is replaced.
  if (global[channel]) return;
  global[channel] = true;
  let finder: Finder | undefined;
  const answer = (): void => {
    if (!document.documentElement) return;
    finder ??= make();
    const values = [];
    for (const condition of conditions) values.push(value(finder, condition));
    dispatchEvent(new CustomEvent(`${channel}!`, { detail: JSON.stringify(values) }));
  };
  addEventListener(channel, answer);
}

function value(finder: Finder, { api, params }: Condition): boolean | string | null {
  try {
    const { selector } = params;
    const elements = selector ? finder.querySelectorAll(finder.parseSelector(selector), document) : [];
    const is = (element: Element | undefined, state: string): boolean => {
      if (!element) return state === 'hidden';
      const found = finder.elementState(element, state, true);
      return typeof found === 'object' ? found.matches : found;
    };
    const [first] = elements;
    switch (api) {
      case 'Frame.expect':
        return expected(params, elements, is) !== !!params.isNot;
      case 'Frame.waitForSelector':
        if (params.state === 'attached') return elements.length > 0;
        if (params.state === 'detached') return elements.length === 0;
        return is(first, params.state === 'hidden' ? 'hidden' : 'visible');
      case 'Frame.queryCount':
      case 'Frame.evalOnSelectorAll':
        return `${elements.length}`;
      case 'Frame.isVisible':
      case 'Frame.isHidden':
        return `${is(first, 'visible')}`;
      case 'Frame.textContent':
        return short(first?.textContent);
      case 'Frame.innerText':
        return short((first as HTMLElement | undefined)?.innerText);
      case 'Frame.innerHTML':
        return short(first?.innerHTML);
      case 'Frame.inputValue':
        return short((first as HTMLInputElement | undefined)?.value);
      case 'Frame.getAttribute':
        return short(first?.getAttribute(params.name));
      case 'Frame.isChecked':
        return `${is(first, 'checked')}`;
      case 'Frame.isEnabled':
      case 'Frame.isDisabled':
        return `${is(first, 'enabled')}`;
      case 'Frame.isEditable':
        return `${is(first, 'editable')}`;
      case 'Frame.focus':
      case 'Frame.dispatchEvent':
      case 'Frame.setInputFiles':
        return first !== undefined;
      case 'Frame.press':
      case 'Frame.type':
        return first !== undefined;
      case 'Frame.fill':
        return is(first, 'visible') && is(first, 'enabled') && is(first, 'editable');
      case 'Frame.hover':
        return is(first, 'visible');
      default:
        return is(first, 'visible') && is(first, 'enabled');
    }
  } catch {
    // A selector that enters a frame, or a version of the driver that finds elements otherwise.
    return null;
  }
}

type Is = (element: Element | undefined, state: string) => boolean;

/** Whether what an assertion expects is so, without its negation. */
function expected(params: any, elements: Element[], is: Is): boolean {
  const { expression, expectedText: texts = [], expressionArg: name } = params;
  const [first] = elements;
  switch (expression) {
    case 'to.have.count':
      return elements.length === params.expectedNumber;
    case 'to.have.url':
      return matches(texts[0], location.href);
    case 'to.have.title':
      return matches(texts[0], document.title);
    case 'to.be.visible':
    case 'to.be.hidden':
      return is(first, expression.slice(6));
    case 'to.be.attached':
      return first !== undefined;
    case 'to.be.detached':
      return first === undefined;
    case 'to.have.text.array':
    case 'to.contain.text.array':
      if (expression === 'to.have.text.array' && elements.length !== texts.length) return false;
      return texts.every((text: any) => elements.some((element) => matches(text, textOf(element, params))));
  }
  if (!first) return false;
  switch (expression) {
    case 'to.be.disabled':
    case 'to.be.enabled':
    case 'to.be.editable':
      return is(first, expression.slice(6));
    case 'to.be.readonly':
      return !is(first, 'editable');
    case 'to.be.checked':
      return is(first, params.expectedValue?.checked === false ? 'unchecked' : 'checked');
    case 'to.be.focused':
      return document.activeElement === first;
    case 'to.be.empty':
      return ((first as HTMLInputElement).value ?? first.textContent ?? '').trim() === '';
    case 'to.have.attribute':
      return first.hasAttribute(name);
    case 'to.have.attribute.value':
      return first.hasAttribute(name) && matches(texts[0], first.getAttribute(name)!);
    case 'to.have.class':
      return matches(texts[0], `${first.classList}`);
    case 'to.contain.class':
      return `${texts[0]?.string}`.split(/\s+/).every((word) => word === '' || first.classList.contains(word));
    case 'to.have.id':
      return matches(texts[0], first.id);
    case 'to.have.css':
      return matches(texts[0], getComputedStyle(first).getPropertyValue(name));
    case 'to.have.value':
      return matches(texts[0], (first as HTMLInputElement).value ?? '');
    case 'to.have.text':
      return matches(texts[0], textOf(first, params));
  }
  throw new Error(`unknown expression ${expression}`);
}

function textOf(element: Element, { useInnerText }: any): string {
  return (useInnerText ? (element as HTMLElement).innerText : element.textContent) ?? '';
}

/** Whether a text is what an assertion expects. */
function matches(expected: any, text: string): boolean {
  const { string, matchSubstring, ignoreCase, normalizeWhiteSpace, regexSource, regexFlags } = expected ?? {};
  if (regexSource) {
    const flags = (regexFlags ?? '').replace('i', '') + ((ignoreCase ?? regexFlags?.includes('i')) ? 'i' : '');
    return new RegExp(regexSource, flags).test(text);
  }
  const plain = (of: string): string => {
    const spaced = normalizeWhiteSpace
      ? of
          .replace(/[\u200b\u00ad]/g, '')
          .trim()
          .replace(/\s+/g, ' ')
      : of;
    return ignoreCase ? spaced.toLocaleLowerCase() : spaced;
  };
  return matchSubstring ? plain(text).includes(plain(string ?? '')) : plain(text) === plain(string ?? '');
}

function short(text: string | null | undefined): string {
  return `${text ?? 'none'}`.slice(0, LONGEST);
}
