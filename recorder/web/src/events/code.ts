/**
 * Code made at run time in a page: by `eval` and `new Function`, by timers given as text, by handler
 * attributes and markup that scripts set, and by inline scripts that scripts insert.
 *
 * The recorder answers requests to a path of the page's own origin before they reach the network. No page
 * can guess the path, and each answer has a header that no server knows: an answer without it is not the
 * recorder's, and is not used. A page of an opaque origin can make no such request.
 */
import { connect, proof, runtime } from 'interloper-js-recorder/contract.json';
import type { Agent } from 'interloper-js-recorder/agent';
import type { Method } from 'interloper-js-recorder/builtins';
import { type Answer, type Ask, Code } from 'interloper-js-recorder/code';
import { apply, construct, describe, newMap, stringify } from 'interloper-js-recorder/natives';

const { exec } = RegExp.prototype;
const { indexOf } = String.prototype;
/** Markup that holds code. */
const active = /[\s"'/]on[a-z]+\s*=|<script|\ssrcdoc\s*=|javascript:/i;

/** A script that begins with a directive for strict mode. */
const strict = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(["'])use strict\1/;

const isBlob = (url: string): boolean => apply(indexOf, url, ['blob:']) === 0;

/** Where the recorder answers, and how its answers are known. */
export interface Answering {
  /** The path on the page's own origin. */
  path: string;
  /** The value of the header that is in each answer. Empty if there is none. */
  proof: string;
}

export class PageCode extends Code {
  constructor(global: any, agent: Agent, hooks: string, answering: Answering) {
    const { XMLHttpRequest } = global;
    const { open, send, getResponseHeader } = XMLHttpRequest.prototype;
    const get = (key: string): Method => describe(XMLHttpRequest.prototype, key)!.get as Method;
    const status = get('status');
    const text = get('responseText');
    // Paths are not relative: a document may name another base, and a blob has no address that could be one.
    const base = global.origin === 'null' ? '' : global.origin;
    const sent = (method: string, url: string, body: string | null): object => {
      const request = construct(XMLHttpRequest, []) as object;
      apply(open, request, [method, url, false]);
      apply(send, request, [body]);
      return request;
    };
    const answerOf = (request: object): Answer => ({
      status: apply(status, request, []),
      text: apply(text, request, []),
    });
    const ask: Ask = (method, path, body) => {
      const request = sent(method, base + path, body);
      const isOurs = answering.proof === '' || apply(getResponseHeader, request, [proof]) === answering.proof;
      return isOurs ? answerOf(request) : { status: 0, text: '' };
    };
    super(global, agent, hooks, answering.path, ask);
    this.recorder = ask;
    this.load = (url) => answerOf(sent('GET', url, null));
    this.origin = global.origin;
    const { Blob, URL } = global;
    const { createObjectURL } = URL;
    const type = 'text/javascript';
    this.store = (code) => apply(createObjectURL, URL, [construct(Blob, [[code], { type }])]);
  }

  private readonly recorder: Ask;
  /** Loads a text that is not the recorder's. */
  private readonly load: (url: string) => Answer;
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
    const address = `"${this.origin}${this.path}${runtime}"`;
    return this.blob(url, module, module ? `import ${address};` : `importScripts(${address});`);
  }

  /**
   * The recorder's queue of connections to a shared worker: a page adds the name of a connection, and the
   * worker takes it. Returns the name taken, which is empty if there is none.
   */
  connection(worker: string, added?: string): string {
    try {
      const { status, text } = this.recorder('POST', this.path + connect, stringify([worker, added ?? '']));
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
      const { status, text } = this.load(url);
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
