// Runs a source in a realm of its own, unchanged and rewritten, and returns the outcome of each run.
import vm from 'node:vm';
import { bundle } from '../bundle.mjs';
import { rewriteNow } from './rewriter.mjs';

/** The hooks: an expression whose value has `install` and `MemoryWire`. */
export const hooks = await bundle(new URL('../src/access.ts', import.meta.url));
const script = new vm.Script(hooks, { filename: 'access.js' });

/** A realm, with hooks or without. */
export class Realm {
  constructor({ hooks = false, sources = [], evals = false, globals = {} } = {}) {
    // A plain global, because the interceptors of a contextified one make V8 itself fail.
    this.context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
    this.log = [];
    const print = (...values) => this.log.push(values.map(String).join(' '));
    Object.assign(this.context, { print, ...globals });
    if (!hooks) return;
    const { install, MemoryWire } = script.runInContext(this.context);
    this.wire = new MemoryWire();
    this.wire.sources.push(...sources);
    if (evals) {
      this.wire.rewrite = (source, strict, global) => {
        const script = this.wire.sources.push(source) - 1;
        const site = 10000 * script;
        return rewriteNow({ source, kind: 'eval', direct: !global, strict, script, site }).code ?? source;
      };
    }
    this.recording = install(this.context, this.wire);
  }

  /** Begins another event. */
  turn() {
    if (!this.wire) return;
    this.wire.epoch++;
    this.recording.turn();
  }

  accesses({ readable = true } = {}) {
    this.recording.flush();
    const text = (value) => (readable ? value.replace(/@\d+$|(?<=…"?)#[0-9a-f]{13}$/, '') : value);
    // The methods of the realm's own arrays would record accesses.
    return Array.from(
      this.wire.accesses,
      ({ write, name, value }) => `${write ? 'write' : 'read'} ${name} ${text(value)}`,
    );
  }

  script(code, filename = 'app.js', timeout = 10000) {
    return this.#outcome(() => vm.runInContext(code, this.context, { filename, timeout }));
  }

  async module(code, filename = 'app.js', resolve = () => undefined) {
    const options = {
      context: this.context,
      identifier: filename,
      importModuleDynamically: (specifier) => this.#load(specifier, resolve),
    };
    try {
      const module = new vm.SourceTextModule(code, options);
      this.#modules.set(filename, module);
      await module.link((specifier) => this.#make(specifier, resolve));
      await module.evaluate({ timeout: 10000 });
      return 'value undefined';
    } catch (error) {
      return `throw ${describe(error)}`;
    }
  }

  #modules = new Map();

  #make(specifier, resolve) {
    if (!this.#modules.has(specifier)) {
      const code = resolve(specifier);
      if (code === undefined) throw new Error(`no module ${specifier}`);
      const options = {
        context: this.context,
        identifier: specifier,
        importModuleDynamically: (inner) => this.#load(inner, resolve),
      };
      this.#modules.set(specifier, new vm.SourceTextModule(code, options));
    }
    return this.#modules.get(specifier);
  }

  async #load(specifier, resolve) {
    const module = this.#make(specifier, resolve);
    if (module.status === 'unlinked') await module.link((inner) => this.#make(inner, resolve));
    await module.evaluate();
    return module;
  }

  #outcome(run) {
    try {
      return `value ${describe(run())}`;
    } catch (error) {
      return `throw ${describe(error)}`;
    }
  }
}

/** Describes a value or an error as text, for comparison between realms. */
export function describe(value) {
  try {
    if (value !== null && typeof value === 'object' && 'stack' in value)
      return `${value.name}: ${hookless(String(value.message))}`;
    if (typeof value === 'object' || typeof value === 'function') return typeof value;
    return `${typeof value} ${String(value)}`;
  } catch {
    return 'beyond description';
  }
}

/** Removes quoted code from a message, because the quotation includes hooks. */
function hookless(message) {
  return /__il|intermediate value|is not a function|is not iterable|is not a constructor/.test(message)
    ? message
        .replace(/^.*?(is not|undefined or null|cannot|Cannot)/s, '$1')
        .replace(/ (\(|a function|iterable|a constructor).*/s, '')
    : message;
}
