/**
 * Code made at run time in a page: by `eval` and `new Function`, by timers given as text, by handler
 * attributes and markup that scripts set, and by inline scripts that scripts insert.
 *
 * The recorder answers requests to a reserved path of the page's own origin before they reach the
 * network. A page of an opaque origin can make no such request.
 */
import { connect, reserved, runtime } from 'interloper-js-recorder/contract.json';
import type { Agent } from 'interloper-js-recorder/agent';
import type { Method } from 'interloper-js-recorder/builtins';
import { type Ask, Code } from 'interloper-js-recorder/code';
import { apply, construct, describe, newMap, stringify } from 'interloper-js-recorder/natives';

const { exec } = RegExp.prototype;
const { indexOf } = String.prototype;
/** Markup that holds code. */
const active = /[\s"'/]on[a-z]+\s*=|<script|\ssrcdoc\s*=|javascript:/i;

/** A script that begins with a directive for strict mode. */
const strict = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(["'])use strict\1/;

const isBlob = (url: string): boolean => apply(indexOf, url, ['blob:']) === 0;

export class PageCode extends Code {
  constructor(global: any, agent: Agent, hooks: string) {
    const { XMLHttpRequest } = global;
    const { open, send } = XMLHttpRequest.prototype;
    const get = (key: string): Method => describe(XMLHttpRequest.prototype, key)!.get as Method;
    const status = get('status');
    const text = get('responseText');
    // A worker made from a blob has no address that a path could be relative to.
    const base = global.document ? '' : global.origin;
    const read: Ask = (method, url, body) => {
      const request = construct(XMLHttpRequest, []);
      apply(open, request, [method, url, false]);
      apply(send, request, [body]);
      return { status: apply(status, request, []), text: apply(text, request, []) };
    };
    super(global, agent, hooks, (method, path, body) => read(method, base + path, body));
    this.read = read;
    this.origin = global.origin;
    const { Blob, URL } = global;
    const { createObjectURL } = URL;
    const type = 'text/javascript';
    this.store = (code) => apply(createObjectURL, URL, [construct(Blob, [[code], { type }])]);
  }

  private readonly read: Ask;
  private readonly origin: string;
  /** Makes a blob of a script and returns its address. */
  private readonly store: (code: string) => string;

  private readonly blobs = newMap<string, string>();

  /**
   * The address of a script with hooks in it. Scripts in blobs do not pass the network, where other
   * scripts are rewritten, so the text of the blob is read here and put into another blob.
   */
  address(url: string, module: boolean): string {
    return isBlob(url) ? this.blob(url, module, '') || url : url;
  }

  /**
   * The address of a worker's script, which starts the runtime. The recorder changes scripts that it
   * loads from the network. Empty if the worker cannot be recorded.
   */
  worker(url: string, module: boolean): string {
    if (!isBlob(url)) return apply(indexOf, url, ['http']) === 0 ? url : '';
    const address = `"${this.origin}${reserved}${runtime}"`;
    return this.blob(url, module, module ? `import ${address};` : `importScripts(${address});`);
  }

  /**
   * The recorder's queue of connections to a shared worker: a page adds the name of a connection, and the
   * worker takes it. Returns the name taken, which is empty if there is none.
   */
  connection(worker: string, added?: string): string {
    try {
      const { status, text } = this.read(
        'POST',
        `${this.origin}${reserved}${connect}`,
        stringify([worker, added ?? '']),
      );
      return status === 200 ? text : '';
    } catch {
      // A page of an opaque origin can make no request.
      return '';
    }
  }

  /** The address of a blob that has the rewritten code of another, after an opening. */
  private blob(url: string, module: boolean, opening: string): string {
    const key = `${module ? 'm' : 's'}${opening}${url}`;
    let found = this.blobs.get(key);
    if (found === undefined) this.blobs.set(key, (found = this.rewriteBlob(url, module, opening)));
    return found;
  }

  private rewriteBlob(url: string, module: boolean, opening: string): string {
    try {
      const { status, text } = this.read('GET', url, null);
      if (status !== 200) return '';
      const code = this.compile(module ? 'module' : 'script', text);
      if (code === text && text !== '') return '';
      // The script's own directive is no longer the first statement.
      const mode = opening !== '' && !module && apply(exec, strict, [text]) ? '"use strict";' : '';
      return this.store(mode + opening + code);
    } catch {
      // The blob is gone, or belongs to another origin.
      return '';
    }
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
