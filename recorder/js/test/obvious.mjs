// The obvious accounting of accesses, to compare the hooks with: no stamps, no copies, no caches. It
// works for the programs of random.test.mjs: no built-in methods, proxies, accessors or frames.

/** Hooks for rewritten code. `sites` are those of the rewriter, `log` gets the accesses of each event. */
export function obvious(global, sites) {
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  let event = 1;
  const births = new WeakMap();
  const names = new Map();
  const counts = new Map();
  const ids = new Map();
  const done = new Set();
  const lexicals = new Map();
  let pending = [];
  const log = [];

  const isYoung = (object) => births.get(object)?.event === event;
  const idOf = (object) => ids.get(object) ?? ids.set(object, ids.size).get(object);
  const numbered = (name) => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return `${name}@${counts.get(name)}`;
  };
  const kindOf = (object) => {
    if (typeof object === 'function') return `function ${object.name}`.trim();
    return Array.isArray(object) ? 'Array' : object.constructor.name;
  };
  const freshName = (object) => {
    const birth = births.get(object);
    if (birth) return numbered(`${kindOf(object)}(created at app.js:${sites[birth.site][0]})`);
    if (Object.hasOwn(object, 'constructor')) return `${object.constructor.name}.prototype`;
    return numbered(kindOf(object));
  };
  const nameOf = (object) => {
    if (!names.has(object)) names.set(object, freshName(object));
    return names.get(object);
  };
  const text = (value) => {
    if (Array.isArray(value)) return `Array(${value.length})`;
    return isObject(value) ? kindOf(value) : String(value);
  };
  /** Whether this is the event's first access of its kind. */
  const isFirst = (write, location) => {
    const key = `${event} ${write} ${location}`;
    return !done.has(key) && !!done.add(key);
  };
  /** Adds an access. A read that finds what a property had before its announced write comes before that write. */
  const add = (write, name, current, holder, isProperty = false) => {
    const access = { write, name, holder, value: write ? undefined : text(current()), current };
    const of = isProperty ? pending.findIndex((other) => other.write && other.name === name) : -1;
    if (isProperty) access.before = current();
    if (!write && of >= 0 && pending[of].before === access.before) {
      const [announced] = pending.splice(of, 1, access);
      pending.push(announced);
    } else pending.push(access);
  };

  const canonical = (key) => (String(key >>> 0) === String(key) ? +key : String(key));
  /** Elements of arrays keep their order. */
  const isNamed = (object, key) => !(Array.isArray(object) && typeof key === 'number');
  const access = (object, rawKey, write) => {
    if (!isObject(object) || isYoung(object)) return;
    const key = canonical(rawKey);
    if (!isFirst(write, `${idOf(object)} ${key}`)) return;
    let holder = object;
    if (!write) while (holder && !Object.hasOwn(holder, key)) holder = Object.getPrototypeOf(holder);
    if (holder && holder !== object) {
      if (isYoung(holder) || !isFirst(write, `${idOf(holder)} ${key}`)) return;
    } else if (write && Array.isArray(object) && typeof key === 'number' && key >= object.length)
      access(object, 'length', true);
    const at = holder ?? object;
    add(
      write,
      nameOf(at) + (typeof key === 'number' ? `[${key}]` : `.${key}`),
      () => at[key],
      at,
      isNamed(object, key),
    );
  };
  const named = (name, write) => {
    if (!isFirst(write, `global ${name}`)) return;
    add(write, `Window.${name}`, lexicals.get(name) ?? (() => global[name]));
  };
  const variable = (scope, name, write, current) => {
    if (!isFirst(write, `${idOf(scope)} ${name}`)) return;
    scope.name ??= numbered(scope.label);
    add(write, `${scope.name}.${name}`, current);
  };
  const destructured = (object, shape) => {
    if (shape === 0 || !isObject(object)) return;
    for (const key of Object.keys(shape)) {
      access(object, key, false);
      destructured(object[key], shape[key]);
    }
  };

  /** A hook with copies: all are the same function. */
  const copies = (hook) => new Proxy({}, { get: () => hook });
  const born = (object, site) => {
    if (typeof object === 'object' && !births.has(object)) births.set(object, { event, site });
    return object;
  };
  const property = (answer, ...writes) =>
    copies((object, key) => {
      for (const write of writes) access(object, key, write);
      return answer(object, key);
    });
  const object = (it) => it;
  const key = (_, it) => it;
  const no = () => false;
  const hooks = {
    e: event,
    // No site, and no variable, ever counts as recorded.
    g: [],
    o: copies(born),
    n: copies((it, site) => {
      if (births.get(it)?.event === event) births.set(it, { event, site });
      return born(it, site);
    }),
    b: copies((it, site) => (born(it, site), false)),
    s: (label) => ({ label }),
    vr: (scope, name, _site, value) => (variable(scope, name, false, () => value), 0),
    vw: (scope, name, _site, current) => (variable(scope, name, true, current), 0),
    gr: (_site, name) => named(name, false),
    gd: (_site, name) => named(name, true),
    gw: (value, _site, name) => (named(name, true), value),
    gl: (name, current) => lexicals.set(name, current),
    d: (it, _site, shape) => (destructured(it, JSON.parse(shape)), it),
    u: object,
    p: () => {},
  };
  const kinds = { r: [false], w: [true], x: [false, true] };
  for (const [letter, writes] of Object.entries(kinds)) {
    hooks[letter] = hooks[`e${letter}`] = property(object, ...writes);
    hooks[`k${letter}`] = property(key, ...writes);
    hooks[`q${letter}`] = hooks[`qe${letter}`] = property(no, ...writes);
  }
  const flush = () => {
    for (const { write, name, value, current, holder } of pending)
      if (!holder || !isYoung(holder)) log.push(`${write ? 'write' : 'read'} ${name} ${value ?? text(current())}`);
    pending = [];
  };
  return {
    hooks,
    log,
    flush,
    turn() {
      flush();
      hooks.e = ++event;
    },
  };
}
