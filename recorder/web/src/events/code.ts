/**
 * Code made at run time in a page: by `eval` and `new Function`, by timers given as text, by handler
 * attributes and markup that scripts set, and by inline scripts that scripts insert.
 *
 * The recorder answers requests to a reserved path of the page's own origin before they reach the
 * network. A page of an opaque origin can make no such request.
 */
import type { Agent } from 'interloper-js-recorder/agent';
import type { Method } from 'interloper-js-recorder/builtins';
import { Code } from 'interloper-js-recorder/code';
import { apply, construct, describe } from 'interloper-js-recorder/natives';

const { exec } = RegExp.prototype;
/** Markup that holds code. */
const active = /[\s"'/]on[a-z]+\s*=|<script|\ssrcdoc\s*=|javascript:/i;

export class PageCode extends Code {
  constructor(global: any, agent: Agent, hooks: string) {
    const { XMLHttpRequest } = global;
    const { open, send } = XMLHttpRequest.prototype;
    const get = (key: string): Method => describe(XMLHttpRequest.prototype, key)!.get as Method;
    const status = get('status');
    const text = get('responseText');
    super(global, agent, hooks, (method, path, body) => {
      const request = construct(XMLHttpRequest, []);
      apply(open, request, [method, path, false]);
      apply(send, request, [body]);
      return { status: apply(status, request, []), text: apply(text, request, []) };
    });
  }

  /** Returns the markup with hooks in its handlers and scripts. */
  markup(text: unknown): unknown {
    return typeof text === 'string' && apply(exec, active, [text]) ? this.compile('html', text) : text;
  }

  /** Puts hooks into an inline script that is about to be inserted. */
  script(element: object, text: (node: any) => string, set: (node: any, text: string) => void, module: boolean): void {
    const source = text(element);
    if (source === '') return;
    const code = this.compile(module ? 'module' : 'script', source);
    if (code !== source) set(element, code);
  }
}
