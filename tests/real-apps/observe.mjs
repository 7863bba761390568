// Observes a browser over its debugging port, beside whoever drives it: console messages, uncaught exceptions,
// failed requests, sockets, and screenshots. A plain browser and a recorded one are observed by the same code.
import { WebSocket } from 'ws';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function connect(port) {
  for (const until = Date.now() + 60_000; Date.now() < until; await sleep(20)) {
    // A browser that is about to start may accept a connection that it never answers.
    const answer = await fetch(`http://127.0.0.1:${port}/json/version`, { signal: AbortSignal.timeout(2000) })
      .then((response) => response.json())
      .catch(() => null);
    if (!answer) continue;
    const { webSocketDebuggerUrl } = answer;
    const socket = new WebSocket(webSocketDebuggerUrl, { perMessageDeflate: false, maxPayload: 0 });
    await new Promise((resolve, reject) => ((socket.onopen = resolve), (socket.onerror = reject)));
    return socket;
  }
  throw new Error(`no browser answers on port ${port}`);
}

/** A value of a console call as the console shows it, in one line. */
function shown({ type, value, description, unserializableValue }) {
  const text = type === 'string' ? value : (unserializableValue ?? description ?? JSON.stringify(value) ?? type);
  return stable(String(text).split('\n')[0]).replace(/\d+ ?ms\b/g, '… ms');
}

/** A text without what differs between two runs of one application: times, tokens and random ids. */
const stable = (text) =>
  text
    .replace(/([?&](?:_|t|v|ts|token|id)=)[^&]*/g, '$1…')
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '…')
    .replace(/0x[0-9a-f]{8,}/g, '0x…');

class Observer {
  console = [];
  failed = [];
  sockets = [];
  requests = 0;
  #socket;
  #next = 1;
  #pending = new Map();
  #urls = new Map();
  #pages = new Map();

  constructor(socket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the browser has closed'));
      this.#pending.clear();
    };
  }

  get isOpen() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  call(method, params = {}, sessionId) {
    if (!this.isOpen) return Promise.reject(new Error('the browser has closed'));
    const id = this.#next++;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject, sessionId }));
  }

  #receive({ id, result, error, method, params, sessionId }) {
    if (id) {
      const waiting = this.#pending.get(id);
      this.#pending.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
      return;
    }
    this.#events[method]?.(params, sessionId);
  }

  #attached(session, { type, targetId }) {
    const calls = [['Runtime.enable'], ['Network.enable'], ['Log.enable']];
    if (type === 'page') this.#pages.set(session, targetId);
    calls.push(['Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }]);
    // A worker has fewer domains than a page.
    return Promise.all(calls.map(([method, params]) => this.call(method, params, session).catch(() => {})));
  }

  /** Forgets a page that has closed. The browser does not answer the calls that it still has to. */
  #detached(session) {
    this.#pages.delete(session);
    for (const [id, waiting] of this.#pending)
      if (waiting.sessionId === session) {
        this.#pending.delete(id);
        waiting.reject(new Error('the page has closed'));
      }
  }

  #events = {
    'Target.attachedToTarget': ({ sessionId, targetInfo }) => this.#attached(sessionId, targetInfo),
    'Target.detachedFromTarget': ({ sessionId }) => this.#detached(sessionId),
    'Runtime.consoleAPICalled': ({ type, args }) => this.console.push(`${type}: ${args.map(shown).join(' ')}`),
    'Runtime.exceptionThrown': ({ exceptionDetails: { text, exception } }) =>
      this.console.push(`exception: ${exception ? shown(exception) : text}`),
    'Log.entryAdded': ({ entry: { source, level, text } }) => {
      // Failed requests are counted on their own.
      if (source !== 'network') this.console.push(`${source} ${level}: ${stable(text.split('\n')[0])}`);
    },
    'Network.requestWillBeSent': ({ requestId, request, type }) => {
      this.requests++;
      this.#urls.set(requestId, { line: `${request.method} ${stable(request.url)}`, type });
    },
    'Network.responseReceived': ({ requestId, response }) => {
      const request = this.#urls.get(requestId);
      if (request && response.status >= 400) this.failed.push(`${request.line}: ${response.status}`);
      if (request?.type === 'EventSource') this.sockets.push(`EventSource ${request.line}: ${response.status}`);
    },
    'Network.loadingFailed': ({ requestId, errorText, canceled }) => {
      const request = this.#urls.get(requestId);
      // Whether an answer comes before the page cancels its request depends on time.
      if (request && !canceled) this.failed.push(`${request.line}: ${errorText}`);
    },
    'Network.webSocketCreated': ({ requestId, url }) => this.#urls.set(requestId, { line: stable(url) }),
    'Network.webSocketHandshakeResponseReceived': ({ requestId, response }) =>
      this.sockets.push(`WebSocket ${this.#urls.get(requestId)?.line}: ${response.status}`),
    'Network.webSocketFrameError': ({ requestId, errorMessage }) =>
      this.sockets.push(`WebSocket ${this.#urls.get(requestId)?.line}: ${errorMessage}`),
  };

  async begin() {
    const answer = this.call('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: true,
    });
    await answer;
    // The pages that exist are attached one after another, and the recorder may close the browser's first one. A page
    // that is being closed may leave a call without an answer.
    const isReady = (session) =>
      Promise.race([
        this.call('Runtime.evaluate', { expression: '0' }, session).then(
          () => this.#pages.has(session),
          () => false,
        ),
        sleep(500).then(() => false),
      ]);
    while (!(await Promise.all([...this.#pages.keys()].map(isReady))).includes(true)) await sleep(10);
  }

  /** A screenshot of the page that was attached last, as PNG in Base64. */
  async screenshot() {
    const session = [...this.#pages.keys()].at(-1);
    const { data } = await this.call('Page.captureScreenshot', { format: 'png' }, session);
    return data;
  }

  close() {
    this.#socket.close();
  }
}

/** Attaches an observer to the browser on a debugging port. It sees what happens afterwards. */
export async function observe(port) {
  const observer = new Observer(await connect(port));
  await observer.begin();
  return observer;
}
