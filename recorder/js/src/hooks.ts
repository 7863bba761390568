/**
 * The hooks: the members of the one global that rewritten code mentions.
 *
 * contract.json lists their names, and all other names that the rewriter and the recorder share; Rust
 * reads it too. The type checker compares `Called` with that file.
 */
import type contract from '../contract.json';
import type { Current, Scope } from './recorder';

/** The kind of a script that begins. */
export type ScriptKind = keyof typeof contract.kinds;

/** The copies of a hook, `a0` and so on: each has inline caches of its own. */
interface Copies<Hook> {
  readonly [copy: string]: Hook;
}

/** A hook that takes an object that was made, and returns it. */
type BirthHook = (object: any, site: number) => any;
/** A hook that takes the object that is being made, and returns whether the current event makes it. */
type ConstructorHook = (object: any, site: number) => boolean;
/** A hook that takes an object and a key, and returns one of them. */
type PropertyHook = (object: any, key: any, site: number) => any;
/** A hook that takes an object and a key, and returns whether the current event made the object. */
type QuestionHook = (object: any, key: any, site: number) => boolean;

/** The hooks that contract.json lists and describes. */
interface Called {
  e: number;
  t: unknown;
  g: Int32Array;
  o: Copies<BirthHook>;
  n: Copies<BirthHook>;
  m: Copies<BirthHook>;
  b: Copies<ConstructorHook>;
  r: Copies<PropertyHook>;
  w: Copies<PropertyHook>;
  x: Copies<PropertyHook>;
  er: Copies<PropertyHook>;
  ew: Copies<PropertyHook>;
  ex: Copies<PropertyHook>;
  kr: Copies<PropertyHook>;
  kw: Copies<PropertyHook>;
  kx: Copies<PropertyHook>;
  qr: Copies<QuestionHook>;
  qw: Copies<QuestionHook>;
  qx: Copies<QuestionHook>;
  qer: Copies<QuestionHook>;
  qew: Copies<QuestionHook>;
  qex: Copies<QuestionHook>;
  l(object: unknown, key: unknown, site: number): unknown;
  kl(object: unknown, key: unknown, site: number): unknown;
  lw(value: unknown, site: number): unknown;
  sa(object: any, key: any, value: unknown, site: number): unknown;
  so(object: any, key: any, value: unknown, site: number): unknown;
  ha(key: any, object: any, site: number): boolean;
  u(value: unknown): unknown;
  s(label: string): Scope;
  vr(scope: Scope, name: string, site: number, value: unknown): number;
  vw(scope: Scope, name: string, site: number, current: Current, before: number): number;
  gr(site: number, name: string): void;
  gc(site: number, name: string): void;
  gl(name: string, current: Current): void;
  gd(site: number, name: string): void;
  gw(value: unknown, site: number, name: string): unknown;
  d(object: unknown, site: number, shape: string): unknown;
  i(object: unknown, site: number): unknown;
  ds(object: unknown, site: number): unknown;
  p(
    script: number,
    file: string,
    first: number,
    sites: number,
    births: string,
    kind: ScriptKind,
    address?: string,
    resolve?: (specifier: string) => string,
    imports?: string[],
  ): void;
  pe(address: string): void;
  fa(object: unknown, site: number): unknown;
  uf(): void;
  aw(value: unknown): unknown;
  ar(value?: unknown): unknown;
  px(constructor: unknown, executor: unknown): unknown;
  pn(promise: unknown): unknown;
  pm(message: unknown): unknown;
  is(specifier: unknown, base: unknown): unknown;
  im(promise: unknown): unknown;
  wi(object: unknown): unknown;
  ev(callee: unknown, code: unknown, mode: 0 | 1 | 2): unknown;
}

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Holds<T extends true> = T;
/** A type that does not compile unless the members of `Called` are those of the contract. */
export type HooksAreThoseOfTheContract = Holds<Same<keyof Called, keyof typeof contract.hooks>>;

/** The specifiers of a module's static imports, and the function that resolves them. */
export interface Imports {
  resolve(specifier: string): string;
  specifiers: string[];
}

/** The hooks, and the members that the runtime adds to them. */
export interface Hooks extends Called {
  /** The site of the last access of an object that the current event did not make. */
  at: number;
  /** Called by `p`, before anything else, when a script begins. */
  began(file: string, kind: ScriptKind, address: string | undefined, imports: Imports | undefined): void;
  /** Whether an object is a node that is in no document. */
  isLoose?(object: object): boolean;
  /** Called when the code of a timer that was given as text begins, in the event of this id. */
  tb?(id: string): void;
}
