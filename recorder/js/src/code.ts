/**
 * Code made at run time: by `eval`, by `new Function`, and by the platform's own functions.
 *
 * The recorder rewrites such code. The request is synchronous, because the program expects its code at
 * once. Where no request can be made, the code runs unchanged, and a diagnostic says so.
 */
import type contract from '../contract.json';
import { reserved, rewrite, source as sources } from '../contract.json';
import { apply, bareArray, construct, define, describe, newMap, RealProxy, stringify } from './natives';
import { disguise } from './builtins';
import type { Agent } from './agent';

const { indexOf } = String.prototype;
/** The kind of code that the recorder is asked to rewrite. */
export type Kind = keyof typeof contract.requests;

/** Sends a request to the recorder, with a body or without. It may throw where no request can be made. */
export type Ask = (method: string, path: string, body: string | null) => { status: number; text: string };

export class Code {
  private readonly known = newMap<string, string>();
  private readonly sources = newMap<number, string | undefined>();

  constructor(
    private readonly global: any,
    private readonly agent: Agent,
    /** The name of the hooks that code is rewritten for. */
    readonly hooks: string,
    private readonly ask: Ask,
  ) {}

  /** Returns the code with hooks in it, or unchanged if it cannot be rewritten. */
  compile(kind: Kind, source: string, params: string[] = [], strict = false): string {
    if ((apply(indexOf, source, [`${this.hooks}.p(`]) as number) >= 0) return source;
    const key = stringify([kind, source, params, strict]);
    const before = this.known.get(key);
    if (before !== undefined) return before;
    let code = source;
    try {
      const answer = this.ask('POST', reserved + rewrite, stringify({ kind, source, params, strict }));
      if (answer.status === 200) code = answer.text;
      else if (answer.status !== 422) this.agent.diagnostic('unrewritten', `${kind} code`);
    } catch {
      this.agent.diagnostic('unrewritten', `${kind} code`);
    }
    this.known.set(key, code);
    return code;
  }

  /** The original text of a script, by its number. */
  source(script: number): string | undefined {
    if (this.sources.has(script)) return this.sources.get(script);
    let text: string | undefined;
    try {
      const answer = this.ask('GET', `${reserved}${sources}/${script}`, null);
      if (answer.status === 200) text = answer.text;
    } catch {
      // No request can be made: functions show their rewritten text.
    }
    this.sources.set(script, text);
    return text;
  }

  /** Puts hooks into the functions that `Function` makes. They show their original text. */
  patchFunction(): void {
    const { global } = this;
    const property = describe(global, 'Function')!;
    const native = property.value;
    const make = (args: unknown[], newTarget: unknown): object => {
      const original = construct(native, args, newTarget as Function) as object;
      if (args.length === 0) return original;
      for (let at = 0; at < args.length; at++) if (typeof args[at] !== 'string') return original;
      const params = bareArray<string>();
      for (let at = 0; at < args.length - 1; at++) params[at] = args[at] as string;
      const body = args[args.length - 1] as string;
      const code = this.compile('function', body, params);
      if (code === body) return original;
      args[args.length - 1] = code;
      return disguise(construct(native, args, newTarget as Function) as Function, original as Function);
    };
    const ours: any = new RealProxy(native, {
      apply: (_target, _self, args) => make(args, native),
      construct: (_target, args, newTarget) => make(args, newTarget === ours ? native : newTarget),
    });
    disguise(ours, native);
    define(global, 'Function', { ...property, value: ours });
    define(native.prototype, 'constructor', { ...describe(native.prototype, 'constructor')!, value: ours });
  }
}
