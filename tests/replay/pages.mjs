// Small pages, each with one race, and what replays of the race must show. For each source of events there is a page
// for both directions: the source runs first in the recording, or last.

const code = (js) => encodeURIComponent(js);
const status = /#status\.(text|childList)/;
/** Asks for a text that is shown. */
const answer = (ms) => `fetch('/text?ms=${ms}&q=answer').then((r) => r.text()).then(show);`;

/** For each source: what a page needs so that the source shows `row` after some milliseconds. */
const rows = {
  timer: (ms) => ({ script: `setTimeout(() => show('row'), ${ms});` }),
  frame: (ms) => ({ script: `setTimeout(() => requestAnimationFrame(() => show('row')), ${ms});` }),
  idle: (ms) => ({ script: `setTimeout(() => requestIdleCallback(() => show('row')), ${ms});` }),
  'async-script': (ms) => ({ body: `<script async src="/code?ms=${ms}&js=${code("show('row')")}"></script>` }),
  'inserted-script': (ms) => ({
    script: `const s = document.createElement('script'); s.src = "/code?ms=${ms}&js=${code("show('row')")}"; document.head.append(s);`,
  }),
  module: (ms) => ({
    body: `<script type="module" async src="/module?ms=${ms}&js=${code("document.getElementById('status').textContent = 'row'")}"></script>`,
  }),
  import: (ms) => ({ script: `import('/module?ms=${ms}&js=1').then(() => show('row'));` }),
  image: (ms) => ({ script: `const i = new Image(); i.onload = () => show('row'); i.src = '/dot?ms=${ms}';` }),
  'frame-load': (ms) => ({
    script: `const f = document.createElement('iframe'); f.onload = () => show('row'); f.src = '/inner?ms=${ms}'; document.body.append(f);`,
  }),
  'frame-script': (ms) => ({
    body: `<iframe src="/inner?ms=${ms}&js=${code("parent.document.getElementById('status').textContent = 'row'")}"></iframe>`,
  }),
  style: (ms) => ({
    script: `const l = document.createElement('link'); l.rel = 'stylesheet'; l.onload = () => show('row'); l.href = '/style?ms=${ms}'; document.head.append(l);`,
  }),
  fetch: (ms) => ({ script: `fetch('/text?ms=${ms}&q=row').then((r) => r.text()).then(show);` }),
  xhr: (ms) => ({
    script: `const x = new XMLHttpRequest(); x.onload = () => show(x.responseText); x.open('GET', '/text?ms=${ms}&q=row'); x.send();`,
  }),
  message: (ms) => ({
    script: `onmessage = (event) => show(event.data); setTimeout(() => postMessage('row', '*'), ${ms});`,
  }),
  port: (ms) => ({
    script: `const { port1, port2 } = new MessageChannel(); port1.onmessage = (event) => show(event.data);
setTimeout(() => port2.postMessage('row'), ${ms});`,
  }),
  broadcast: (ms) => ({
    script: `const [one, two] = [new BroadcastChannel('c'), new BroadcastChannel('c')];
one.onmessage = (event) => show(event.data); setTimeout(() => two.postMessage('row'), ${ms});`,
  }),
  worker: (ms) => ({ script: `new Worker('/worker?ms=${ms}').onmessage = (event) => show(event.data);` }),
  socket: (ms) => ({
    script: `new WebSocket('ws://' + location.host + '/chat?ms=${ms}').onmessage = (event) => show(event.data);`,
  }),
  events: (ms) => ({ script: `new EventSource('/events?ms=${ms}').onmessage = (event) => show(event.data);` }),
  database: (ms) => ({
    script: `setTimeout(() => { indexedDB.open('d').onsuccess = () => show('row'); }, ${ms});`,
  }),
};

/** The pages of a source, in both directions. */
const both = (name, make) => [
  { name: `${name}-first`, location: status, verdict: 'harmful', kind: 'state', steps: 'wait 900\n', ...make(60, 350) },
  { name: `${name}-last`, location: status, verdict: 'harmful', kind: 'state', steps: 'wait 900\n', ...make(350, 60) },
];

const sources = [
  ...Object.entries(rows).flatMap(([name, row]) =>
    both(name, (ms, other) => {
      const page = row(ms);
      return { ...page, script: `${answer(other)}\n${page.script ?? ''}` };
    }),
  ),
  ...both('body', (ms, other) => ({
    script: `fetch('/body?ms=${ms}').then((r) => { setTimeout(() => show('timer'), ${other}); return r.text(); }).then(show);`,
  })),
  ...both('input', (ms) => ({
    script: `go.onclick = () => show('row'); ${answer(ms < 200 ? 900 : 60)}`,
    steps: ms < 200 ? 'click #go\nwait 1500\n' : 'wait 500\nclick #go\nwait 300\n',
    kind: undefined,
  })),
  ...both('ready', (ms, other) => ({
    script: `document.addEventListener('DOMContentLoaded', () => show('row')); ${answer(other)}`,
    body: ms < 200 ? '' : `<script src="/code?ms=${ms}&js=1"></script>`,
  })),
  ...both('load', (ms, other) => ({
    script: `addEventListener('load', () => show('row')); ${answer(other)}`,
    body: `<img src="/dot?ms=${ms}">`,
  })),
  {
    name: 'parser-first',
    location: /getElementById\(late\)/,
    verdict: 'harmful',
    kind: 'error',
    script: `setTimeout(() => { document.getElementById('late').textContent = 'seen'; }, 400);`,
    body: '<script src="/code?ms=60&js=1"></script><p id="late">late</p>',
    steps: 'wait 800\n',
  },
  {
    name: 'parser-last',
    location: /getElementById\(late\)/,
    verdict: 'harmful',
    kind: 'state',
    script: `setTimeout(() => show(document.getElementById('late') ? 'seen' : 'missing'), 60);`,
    body: '<script src="/code?ms=350&js=1"></script><p id="late">late</p>',
    steps: 'wait 300\n',
  },
  {
    name: 'wait-for-in-vain',
    location: status,
    verdict: 'harmful',
    script: `fetch('/text?ms=60&q=answer').then((r) => r.text()).then((text) => {
  show(text);
  document.body.insertAdjacentHTML('beforeend', '<p id="made">made</p>');
});
go.onclick = () => show('clicked');`,
    steps: 'wait-for #made\nclick #go\nwait 200\n',
  },
];

/** A page for each verdict and kind that the pages above do not show. */
const verdicts = [
  {
    name: 'lost',
    location: /button#go\.handlers\(click\)/,
    verdict: 'harmful',
    kind: 'lost',
    body: `<script async src="/code?ms=60&js=${code("document.getElementById('go').addEventListener('click', () => { show('clicked'); })")}"></script>`,
    steps: 'wait 400\nclick #go\nwait 200\n',
  },
  {
    name: 'requests',
    location: /target/,
    verdict: 'harmful',
    kind: 'requests',
    script: `let target = '/text?q=one';
fetch('/text?ms=60&q=x').then(() => { target = '/text?q=two&more=1'; });
go.onclick = () => { fetch(target); };`,
    steps: 'wait 400\nclick #go\nwait 300\n',
  },
  {
    name: 'picture',
    location: /last/,
    verdict: 'harmful',
    kind: 'picture',
    script: `var last = '';
const draw = (colour) => { last = colour; const c = canvas.getContext('2d'); c.fillStyle = colour; c.fillRect(0, 0, 90, 90); };
for (const [ms, colour] of [[60, 'red'], [300, 'blue']]) fetch('/text?ms=' + ms + '&q=' + colour).then((r) => r.text()).then(draw);`,
    body: '<canvas id="canvas" width="100" height="100"></canvas>',
    steps: 'wait 700\n',
  },
  {
    name: 'answered',
    location: /data/,
    verdict: 'harmful',
    kind: 'answered',
    script: `let data;
fetch('/text?ms=60&q=data').then((r) => r.text()).then((text) => { data = text; });
go.onclick = () => show(data === undefined ? 'Not loaded yet' : data);`,
    steps: 'wait 400\nclick #go\nwait 200\n',
  },
  {
    name: 'recorded-error',
    location: /data/,
    verdict: 'harmful',
    kind: 'error',
    bad: 'recorded',
    script: `let data;
setTimeout(() => show(data.length), 60);
fetch('/text?ms=300&q=data').then((r) => r.text()).then((text) => { data = text; });`,
    steps: 'wait 700\n',
  },
  {
    name: 'guarded',
    location: /data/,
    verdict: 'harmful',
    guarded: true,
    script: `let data = '', ready = false;
fetch('/text?ms=60&q=data').then((r) => r.text()).then((text) => { data = text; ready = true; });
setTimeout(() => { if (ready) show(data); }, 400);`,
    steps: 'wait 800\n',
  },
  {
    name: 'infeasible',
    learned: true,
    location: /data/,
    verdict: 'infeasible',
    script: `let data = '', ready = false;
fetch('/text?ms=200&q=data').then((r) => r.text()).then((text) => { data = text; ready = true; });
const poll = setInterval(() => { if (ready) { clearInterval(poll); setTimeout(function use() { show(data); }, 5); } }, 20);`,
    steps: 'wait 700\n',
  },
  {
    name: 'diverged',
    location: /data/,
    verdict: 'diverged',
    script: `let data = '', ready = false;
fetch('/text?ms=60&q=data').then((r) => r.text()).then((text) => { data = text; ready = true; });
setTimeout(() => { if (ready) fetch('/text?ms=60&q=more').then((r) => r.text()).then((more) => { show(data + more); }); }, 300);`,
    steps: 'wait 800\n',
  },
  {
    name: 'untried',
    location: status,
    verdict: 'untried',
    script: `indexedDB.open('d').onsuccess = () => show('row'); ${answer(300)}`,
    steps: 'wait 700\n',
  },
];

/** AjaxRacer's four cases of two requests. */
const click = (act) => `let count = 0; go.onclick = () => { const n = ++count; ${act} };`;
const requests = [
  {
    name: 'requests-commute',
    location: /total/,
    verdict: 'harmless',
    script: `let total = 0;
${click("fetch('/text?ms=60&q=' + n).then((r) => r.text()).then((text) => { total += Number(text); show(total); });")}`,
    steps: 'click #go\nwait 300\nclick #go\nwait 400\n',
  },
  {
    name: 'requests-stale',
    location: status,
    verdict: 'harmful',
    kind: 'state',
    script: click("fetch('/text?ms=60&q=' + n).then((r) => r.text()).then(show);"),
    steps: 'click #go\nwait 300\nclick #go\nwait 400\n',
  },
  {
    name: 'requests-abort',
    location: status,
    verdict: 'infeasible',
    script: `let last; ${click("last?.abort(); last = new AbortController(); fetch('/text?ms=60&q=' + n, { signal: last.signal }).then((r) => r.text()).then(show, () => {});")}`,
    steps: 'click #go\nwait 300\nclick #go\nwait 400\n',
  },
  {
    name: 'requests-reuse',
    location: status,
    verdict: 'infeasible',
    script: `const x = new XMLHttpRequest(); x.onload = () => show(x.responseText); ${click("x.open('GET', '/text?ms=60&q=' + n); x.send();")}`,
    steps: 'click #go\nwait 300\nclick #go\nwait 400\n',
  },
];

/** Pages that do not rest, or that take away what others need. Any verdict is right, in time. */
const race = `fetch('/text?ms=60&q=row').then((r) => r.text()).then(show); setTimeout(() => show('timer'), 300);`;
const hard = [
  { name: 'endless-timers', script: `${race} const tick = () => setTimeout(tick, 5); tick();`, verdict: 'harmful' },
  {
    name: 'endless-frames',
    script: `${race} const draw = () => requestAnimationFrame(draw); draw();`,
    verdict: 'harmful',
  },
  { name: 'endless-interval', script: `${race} setInterval(() => {}, 10);`, verdict: 'harmful' },
  {
    name: 'navigations',
    script: `${race} let n = 0; setInterval(() => { location.hash = ++n; history.replaceState({}, '', '?' + n); }, 20);`,
    verdict: 'any',
  },
  {
    name: 'reloads',
    script: `${race} if (sessionStorage.n !== '3') setTimeout(() => { sessionStorage.n = Number(sessionStorage.n ?? 0) + 1; location.reload(); }, 500);`,
    verdict: 'any',
  },
  {
    name: 'without-built-ins',
    script: `${race} delete window.fetch; delete window.setTimeout; delete Array.prototype.map; delete Promise.prototype.then;
window.EventTarget = window.Map = window.Event = window.JSON = undefined;`,
    verdict: 'any',
  },
  {
    name: 'busy',
    script: `${race} setTimeout(() => { const end = performance.now() + 1500; while (performance.now() < end); }, 100);`,
    verdict: 'any',
  },
].map((page) => ({ location: status, steps: 'wait 800\n', ...page }));

const killed = { ...hard[0], name: 'killed', isKilled: true };

export const pages = [...sources, ...verdicts, ...requests, ...hard, killed];
/** The pages that CI uses. */
export const quick = [
  'async-script-last',
  'body-first',
  'events-first',
  'infeasible',
  'load-first',
  'parser-first',
  'port-first',
  'recorded-error',
  'guarded',
  'requests-commute',
  'requests-stale',
  'requests-abort',
  'requests-reuse',
  'socket-last',
  'worker-first',
  'endless-frames',
  'killed',
];
