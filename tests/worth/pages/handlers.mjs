// Inputs that come before their handler, and code that is called before it is there.

const done = "document.getElementById('status').textContent = 'done';";
const button = '<p id="status"></p><button id="go">Go</button>';

export const handlers = [
  {
    name: 'late-click-async',
    location: /#go\.handlers\(click\)/,
    hint: 'lost-input',
    body: `${button}<script async src="/delay/150/own.js"></script>`,
    own: `document.getElementById('go').addEventListener('click', () => { ${done} });`,
    fixedBody: `${button}<script>document.getElementById('go').addEventListener('click', () => { ${done} });</script>`,
    steps: 'wait 500\nclick #go\nwait 200\n',
  },
  {
    name: 'late-click-timer',
    location: /#go\.handlers\(click\)/,
    hint: 'lost-input',
    body: button,
    script: `setTimeout(() => { go.onclick = () => { ${done} }; }, 200);`,
    fixed: `go.onclick = () => { ${done} };`,
    steps: 'wait 500\nclick #go\nwait 200\n',
  },
  {
    name: 'late-click-answer',
    location: /#go\.handlers\(click\)/,
    hint: 'lost-input',
    body: button,
    script: `fetch('/api/text?ms=60&q=config').then((r) => r.text()).then((config) => {
  go.addEventListener('click', () => { document.getElementById('status').textContent = config; });
});`,
    fixed: `const loading = fetch('/api/text?ms=60&q=config').then((r) => r.text());
go.addEventListener('click', async () => { document.getElementById('status').textContent = await loading; });`,
    steps: 'wait 500\nclick #go\nwait 200\n',
  },
  {
    name: 'late-click-lost',
    location: /#go\.handlers\(click\)/,
    hint: 'lost-input',
    early: true,
    body: `${button}<script src="/delay/700/own.js"></script>`,
    own: `document.getElementById('go').addEventListener('click', () => { ${done} });`,
    fixedBody: `<p id="status"></p><button id="go" onclick="document.getElementById('status').textContent = 'done'">Go</button><script src="/delay/700/own.js"></script>`,
    fixedOwn: 'var unrelated = 1;',
    steps: 'click #go\nwait 1000\n',
  },
  {
    name: 'late-submit-external',
    location: /#order\.handlers\(submit\)/,
    hint: 'lost-input',
    body: `<p id="status"></p><form id="order" action="/elsewhere"><input name="n"><button id="send">Order</button></form>
<script src="/delay/100/own.js"></script>`,
    own: `document.getElementById('order').addEventListener('submit', (event) => { event.preventDefault(); ${done} });`,
    fixedBody: `<p id="status"></p><form id="order" action="/elsewhere" onsubmit="event.preventDefault(); document.getElementById('status').textContent = 'done'"><input name="n"><button id="send">Order</button></form>
<script src="/delay/100/own.js"></script>`,
    fixedOwn: 'var unrelated = 1;',
    steps: 'wait 400\nclick #send\nwait 200\n',
  },
  {
    name: 'late-submit-jquery',
    location: /#order\.handlers\(submit\)/,
    libraries: ['jquery.js'],
    librariesLast: true,
    body: '<p id="status"></p><form id="order" action="/elsewhere"><button id="send">Order</button></form>',
    script: `$(function () { $('#order').on('submit', function (event) { event.preventDefault(); $('#status').text('done'); }); });`,
    fixedBody:
      '<p id="status"></p><form id="order" action="/elsewhere" onsubmit="return order()"><button id="send">Order</button></form>',
    fixed: '',
    fixedHead: `<script>function order() { document.getElementById('status').textContent = 'done'; return false; }</script>`,
    steps: 'wait 400\nclick #send\nwait 200\n',
  },
  {
    name: 'late-link',
    location: /#open\.handlers\(click\)/,
    hint: 'lost-input',
    body: `<p id="status"></p><a id="open" href="/elsewhere">Open</a><script src="/delay/100/own.js"></script>`,
    own: `document.getElementById('open').addEventListener('click', (event) => { event.preventDefault(); ${done} });`,
    fixedBody: `<p id="status"></p><a id="open" href="/elsewhere">Open</a><script>document.getElementById('open').addEventListener('click', (event) => { event.preventDefault(); ${done} });</script>`,
    steps: 'wait 400\nclick #open\nwait 200\n',
  },
  {
    name: 'late-image-load',
    location: /#photo\.handlers\(load\)/,
    hint: 'lost-input',
    body: `<p id="status"></p><img id="photo" src="/dot.svg?ms=400" alt=""><script src="/delay/50/own.js"></script>`,
    own: `document.getElementById('photo').addEventListener('load', () => { ${done} });`,
    fixedBody: `<p id="status"></p><img id="photo" src="/dot.svg?ms=400" alt="" onload="document.getElementById('status').textContent = 'done'">`,
    steps: 'wait 700\n',
  },
  {
    name: 'late-ready',
    location: /document\.handlers\(DOMContentLoaded\)/,
    hint: 'lost-input',
    body: `${button}<script async src="/delay/20/own.js"></script><script src="/delay/300/other.js"></script>`,
    own: `document.addEventListener('DOMContentLoaded', () => { ${done} });`,
    fixedBody: `${button}<script defer src="/delay/20/own.js"></script>`,
    steps: 'wait 700\n',
  },
  {
    name: 'late-delegated',
    location: /document\.handlers\(click\)/,
    hint: 'lost-input',
    body: `<p id="status"></p><ul><li class="item" id="first">First</li></ul><script async src="/delay/150/own.js"></script>`,
    own: `document.addEventListener('click', (event) => { if (event.target.matches('.item')) { ${done} } });`,
    fixedHead: `<script>document.addEventListener('click', (event) => { if (event.target.matches('.item')) { ${done} } });</script>`,
    fixedBody: '<p id="status"></p><ul><li class="item" id="first">First</li></ul>',
    steps: 'wait 500\nclick #first\nwait 200\n',
  },
  {
    name: 'undefined-function',
    location: /Window\.openCart/,
    hint: 'access-before-definition',
    body: `<p id="status"></p><button id="cart" onclick="openCart()">Cart</button><script async src="/delay/150/own.js"></script>`,
    own: `function openCart() { ${done} }`,
    fixedHead: `<script>function openCart() { ${done} }</script>`,
    fixedBody: '<p id="status"></p><button id="cart" onclick="openCart()">Cart</button>',
    steps: 'wait 500\nclick #cart\nwait 200\n',
  },
  {
    name: 'undefined-config',
    location: /config|settings/,
    hint: 'access-before-definition',
    body: button,
    script: `let config = null;
fetch('/api/list?ms=60&q=a').then((r) => r.json()).then((list) => { config = { list }; });
go.onclick = () => { document.getElementById('status').textContent = config.list[0]; };`,
    fixed: `const loading = fetch('/api/list?ms=60&q=a').then((r) => r.json());
go.onclick = async () => { const list = await loading; document.getElementById('status').textContent = list[0]; };`,
    steps: 'wait 500\nclick #go\nwait 200\n',
  },
  {
    name: 'undefined-library',
    location: /Window\.shop/,
    hint: 'access-before-definition',
    body: `<p id="status"></p><script async src="/delay/60/other.js"></script><script async src="/delay/250/own.js"></script>`,
    other: `window.shop = { name: 'Shop' };`,
    own: `document.getElementById('status').textContent = window.shop.name;`,
    fixedBody: `<p id="status"></p><script src="/delay/60/other.js"></script><script src="/delay/100/own.js"></script>`,
    steps: 'wait 600\n',
  },
  {
    name: 'undefined-element',
    location: /getElementById\(late\)/,
    hint: 'access-before-definition',
    body: `<script async src="/delay/400/own.js"></script><script src="/delay/80/other.js"></script><p id="late"></p>`,
    own: `document.getElementById('late').textContent = 'ready';`,
    fixedBody: `<script defer src="/delay/400/own.js"></script><p id="late"></p>`,
    steps: 'wait 800\n',
  },
  {
    name: 'undefined-in-timer',
    location: /user/,
    hint: 'access-before-definition',
    body: '<p id="hello"></p>',
    script: `var user;
fetch('/api/list?ms=60&q=Ada').then((r) => r.json()).then((list) => { user = { name: list[0] }; });
setTimeout(() => { hello.textContent = 'Hello ' + user.name; }, 400);`,
    fixed: `fetch('/api/list?ms=60&q=Ada').then((r) => r.json()).then((list) => { hello.textContent = 'Hello ' + list[0]; });`,
    steps: 'wait 800\n',
  },
];
