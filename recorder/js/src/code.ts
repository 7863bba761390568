/**
 * Code made at run time: by `eval`, by `new Function`, and by the platform's own functions.
 *
 * The recorder rewrites such code. The request is synchronous, because the program expects its code at
 * once. Where no request can be made, the code runs unchanged, and a diagnostic says so.
 */
import type contract from '../contract.json';
import { rewrite, source as sources } from '../contract.json';
import {
  apply,
  bareArray,
  construct,
  define,
  describe,
  getPrototypeOf,
  isArray,
  newMap,
  RealProxy,
  realEval,
  stringify,
} from './natives';
import { disguise } from './builtins';
import type { Agent } from './agent';

const { indexOf } = String.prototype;
/** The kind of code that the recorder is asked to rewrite. */
export type Kind = keyof typeof contract.requests;

export interface Answer {
  /** The status, as in HTTP. 0 if the answer is not the recorder's. */
  status: number;
  text: string;
}

/** Sends a request to the recorder, with a body or without. It may throw where no request can be made. */
export type Ask = (method: string, path: string, body: string | null) => Answer;

/** A function of each kind whose constructor is no global, with the keywords that declare it. */
const suspending: [Function, string][] = [
  [async () => {}, 'async function'],
  [function* () {}, 'function*'],
  [async function* () {}, 'async function*'],
];

export class Code {
  private readonly known = newMap<string, string>();
  private readonly sources = newMap<number, string | undefined>();

  constructor(
    private readonly global: any,
    private readonly agent: Agent,
    /** The name of the hooks that code is rewritten for. */
    readonly hooks: string,
    /** The path below which the recorder answers. */
    protected readonly path: string,
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
      const answer = this.ask('POST', this.path + rewrite, stringify({ kind, source, params, strict }));
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
      const answer = this.ask('GET', `${this.path}${sources}/${script}`, null);
      if (answer.status === 200) text = answer.text;
    } catch {
      // No request can be made: functions show their rewritten text.
    }
    this.sources.set(script, text);
    return text;
  }

  /** Puts hooks into the functions that `Function` and its relatives make. They show their original text. */
  patchFunction(): void {
    const { global } = this;
    const property = describe(global, 'Function')!;
    const ours = this.patchConstructor(property.value, (native, args, newTarget) => {
      const params = bareArray<string>();
      for (let at = 0; at < args.length - 1; at++) params[at] = args[at]!;
      const body = args[args.length - 1]!;
      const code = this.compile('function', body, params);
      if (code === body) return undefined;
      args[args.length - 1] = code;
      return construct(native, args, newTarget as Function);
    });
    define(global, 'Function', { ...property, value: ours });
    for (const [example, keyword] of suspending) {
      this.patchConstructor((getPrototypeOf(example) as Function).constructor, (native, args, newTarget) => {
        // Its body may contain `await` or `yield`, so it is rewritten and evaluated as a whole function. The native
        // constructor has accepted parameters and body by themselves, so they are no more than that.
        if (newTarget !== native) return undefined;
        let params = '';
        for (let at = 0; at < args.length - 1; at++) params += (at ? ',' : '') + args[at];
        const whole = `(${keyword} anonymous(${params}\n) {\n${args[args.length - 1]}\n})`;
        const code = this.compile('indirect', whole);
        return code === whole ? undefined : apply(realEval as Function, undefined, [code]);
      });
    }
  }

  /**
   * Replaces a constructor of functions. `make` returns the function with hooks for parameters and a body, or
   * nothing if it cannot be made.
   */
  private patchConstructor(native: any, make: (native: any, args: string[], newTarget: unknown) => unknown): object {
    const both = (args: unknown[], newTarget: unknown): object => {
      // The constructor converts its arguments once, in their order. Objects such as trusted scripts stay as they are.
      let isText = args.length > 0;
      for (let at = 0; at < args.length && isText; at++) {
        if (isArray(args[at])) args[at] = `${args[at]}`;
        isText = typeof args[at] === 'string';
      }
      const original = construct(native, args, newTarget as Function) as object;
      if (!isText) return original;
      const made = make(native, args as string[], newTarget);
      return made ? disguise(made as Function, original as Function) : original;
    };
    const ours: any = new RealProxy(native, {
      apply: (_target, _self, args) => both(args, native),
      construct: (_target, args, newTarget) => both(args, newTarget === ours ? native : newTarget),
    });
    disguise(ours, native);
    define(native.prototype, 'constructor', { ...describe(native.prototype, 'constructor')!, value: ours });
    return ours;
  }
}
