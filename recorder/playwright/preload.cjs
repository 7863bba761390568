// Runs in every Node process of a Playwright test run, before anything else (NODE_OPTIONS=--require). It lets
// Playwright start Interloper in the place of Chromium, and writes the steps of the tests to a file: a line is written
// synchronously before the messages of its step are sent, so Interloper knows which step a message belongs to.
//
// `_instrumentation` and `_defaultLaunchOptions` belong to Playwright's own test runner, and are no public interface.
// Without them the tests run as they are, and a line of the file says why they are not recorded.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

/** What the parameters of a call keep: what it waits for or looks at. */
const KEPT = [
  'selector',
  'expression',
  'expressionArg',
  'expectedText',
  'expectedNumber',
  'expectedValue',
  'isNot',
  'useInnerText',
  'state',
  'name',
  'waitUntil',
  'strict',
];
/** Calls of these types are not steps of a test. */
const SKIPPED = /^(BrowserType|Tracing|CDPSession|LocalUtils|Playwright|Debugger|APIRequestContext|JsonPipe)$/;
/** A call in such a function is one round of an assertion that is retried. */
const RETRIED = /\b(pollAgainstDeadline|toPass)\b/;

const settings = JSON.parse(process.env.INTERLOPER_PLAYWRIGHT ?? 'null');
if (settings) {
  direct();
  start();
}

/** Adds arguments to the command of the runner: a run that the user does not see leaves the user's files alone. */
function direct() {
  const isRunner = process.argv[2] === 'test' && /playwright|cli\.js/.test(process.argv[1] ?? '');
  if (!isRunner || !settings.quiet) return;
  process.argv.push('--reporter=line', `--output=${settings.results}`);
  if (!settings.only) return;
  process.argv.push('--retries=0', '--workers=1', '--grep', settings.only.grep);
  if (settings.only.project) process.argv.push('--project', settings.only.project);
}

function start() {
  const load = Module._load;
  const seen = new WeakSet();
  let runner;
  let file;
  let test = '';
  let last;
  let number = 0;
  let isTold = true;

  const say = (line) => {
    if (file === undefined) file = fs.openSync(steps(), 'a');
    fs.writeSync(file, `${JSON.stringify(line)}\n`);
  };
  const steps = () => path.join(settings.folder, `steps-${process.pid}.jsonl`);
  const note = (text) => say({ note: text });

  /** Says how the last test has ended. */
  const conclude = () => {
    if (!last) return;
    const error = plain(last.errors[0]?.message);
    say({ result: { id: last.testId, retry: last.retry, status: last.status, expected: last.expectedStatus, error } });
    last = undefined;
  };
  process.on('exit', conclude);

  /** Says which test runs, when it is another one. */
  const announce = () => {
    let info;
    try {
      info = runner?.test.info();
    } catch {
      // No test runs, for example while a worker starts.
    }
    if (!info) return;
    const key = `${info.testId} ${info.retry} ${info.repeatEachIndex}`;
    if (key === test) return;
    conclude();
    test = key;
    last = info;
    say({
      test: {
        id: info.testId,
        titles: info.titlePath,
        file: path.relative(process.cwd(), info.file),
        line: info.line,
        project: info.project.name,
        retry: info.retry,
      },
    });
  };

  const begin = (data, channel) => {
    if (typeof data !== 'object' || typeof channel?.type !== 'string') {
      if (isTold) note('this version of Playwright does not tell its steps, so its tests are not recorded');
      isTold = false;
      return;
    }
    if (SKIPPED.test(channel.type)) return;
    announce();
    const own = data.frames?.find((frame) => !/[\\/]node_modules[\\/]/.test(frame.file));
    const params = {};
    for (const key of KEPT) if (channel.params?.[key] !== undefined) params[key] = channel.params[key];
    if (channel.method === '__waitInfo__') params.info = channel.params;
    data.interloper = ++number;
    say({
      begin: number,
      api: `${channel.type}.${channel.method}`,
      file: own ? path.relative(process.cwd(), own.file) : '',
      line: own?.line ?? 0,
      column: own?.column ?? 0,
      params,
      retried: isRetried(),
    });
  };
  const end = (data) => {
    if (!data?.interloper) return;
    const error = plain(data.error?.message);
    say({ end: data.interloper, error });
    data.interloper = undefined;
  };

  const wrap = (library) => {
    const { chromium, firefox, webkit } = library;
    const launch = chromium.launch;
    chromium.launch = function (options = {}) {
      const browser = executable(library, options);
      if (!browser) {
        note(
          `channel ${options.channel ?? 'of the configuration'}: the browser is not known, so its tests are not recorded`,
        );
        return launch.call(this, options);
      }
      if (file === undefined) file = fs.openSync(steps(), 'a');
      const pipe = JSON.stringify({ ...settings.pipe, browser, steps: steps() });
      const env = { ...(options.env ?? process.env), INTERLOPER_PIPE: pipe };
      // starts: own
      return launch.call(this, { ...options, env, executablePath: settings.program });
    };
    const unrecorded = (type, name, method) => {
      const original = type?.[method];
      if (typeof original !== 'function') return;
      type[method] = function (...args) {
        note(`${name}.${method}: its tests are not recorded`);
        return original.apply(this, args);
      };
    };
    for (const method of ['launch', 'launchPersistentContext', 'connect']) {
      unrecorded(firefox, 'firefox', method);
      unrecorded(webkit, 'webkit', method);
      if (method !== 'launch') unrecorded(chromium, 'chromium', method);
    }
    unrecorded(chromium, 'chromium', 'connectOverCDP');
    if (library._instrumentation?.addListener) {
      library._instrumentation.addListener({ onApiCallBegin: begin, onApiCallEnd: end });
    } else note('this version of Playwright does not tell its steps, so its tests are not recorded');
  };

  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (loaded === null || (typeof loaded !== 'object' && typeof loaded !== 'function') || seen.has(loaded))
      return loaded;
    if (/playwright/.test(request) || /playwright/.test(rest[0]?.filename ?? '')) {
      try {
        if (typeof loaded.test?.info === 'function') {
          seen.add(loaded);
          runner = loaded;
        } else if (/(^|[\\/])playwright-core([\\/]index(\.js)?)?$/.test(request) && loaded.chromium?.launch) {
          seen.add(loaded);
          wrap(loaded);
        }
      } catch {
        // A module that does not want to be looked at.
      }
    }
    return loaded;
  };
}

/** The browser that Playwright would start, if it is known and there. */
function executable(library, options) {
  const defaults = library._defaultLaunchOptions ?? {};
  const given = options.executablePath ?? defaults.executablePath;
  if (given) return given;
  if (options.channel ?? defaults.channel) return settings.browser;
  const own = library.chromium.executablePath();
  return fs.existsSync(own) ? own : settings.browser;
}

/** The first line of a message, without colours. */
function plain(message) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with this character.
  return message?.split('\n')[0].replace(/\x1b\[\d+m/g, '');
}

function isRetried() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const { stack } = new Error();
  Error.stackTraceLimit = limit;
  return RETRIED.test(stack);
}
