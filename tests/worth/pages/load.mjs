// Mistakes while a page loads, after the examples of EventRacer, WAVE and InitRacer: scripts, frames, images and
// timers that come in any order, and inputs that come before the page is ready for them.

const done = "document.getElementById('status').textContent = 'done';";
const status = '<p id="status"></p>';

export const load = [
  {
    name: 'load-frames',
    location: /status/,
    body: `${status}<iframe src="/frame/a"></iframe><iframe src="/frame/b?ms=150"></iframe>`,
    frames: {
      a: `<script>parent.document.getElementById('status').textContent = 'first';</script>`,
      b: `<script>parent.document.getElementById('status').textContent = 'second';</script>`,
    },
    fixedBody: `${status}<iframe src="/frame/a"></iframe>`,
    steps: 'wait 500\n',
  },
  {
    name: 'load-frame-variable',
    location: /Window\.visited|visited/,
    body: `${status}<script>var visited;</script><iframe src="/frame/a"></iframe><iframe src="/frame/b?ms=150"></iframe>`,
    frames: {
      a: '<script>parent.visited = { name: "a" };</script>',
      b: `<script>parent.document.getElementById('status').textContent = parent.visited.name;</script>`,
    },
    fixedBody: `${status}<script>var visited = { name: 'a' };</script><iframe src="/frame/b?ms=150"></iframe>`,
    steps: 'wait 500\n',
  },
  {
    name: 'load-frame-handler',
    location: /#inner\.handlers\(load\)/,
    hint: 'lost-input',
    body: `${status}<iframe id="inner" src="/frame/a?ms=300"></iframe><script src="/delay/50/own.js"></script>`,
    frames: { a: '<p>inside</p>' },
    own: `document.getElementById('inner').onload = function () { ${done} };`,
    fixedBody: `${status}<iframe id="inner" src="/frame/a?ms=300" onload="document.getElementById('status').textContent = 'done'"></iframe>`,
    steps: 'wait 700\n',
  },
  {
    name: 'load-javascript-link',
    location: /getElementById\(panel\)/,
    body: `<script>function show() { document.getElementById('panel').style.display = 'block'; }</script>
<a id="show" href="javascript:show()">Show</a>
<script src="/delay/80/other.js"></script>
<div id="panel" style="display: none">Panel</div>`,
    fixedBody: `<script>function show() { document.getElementById('panel').style.display = 'block'; }</script>
<div id="panel" style="display: none">Panel</div><a id="show" href="javascript:show()">Show</a>`,
    steps: 'wait 300\nclick #show\nwait 200\n',
  },
  {
    name: 'load-hint-text',
    location: /#depart\.value/,
    hint: 'form-overwritten',
    body: `<form><input type="text" id="depart" name="depart"></form><script src="/delay/120/own.js"></script>`,
    own: `document.getElementById('depart').value = 'City of departure';`,
    fixedBody: `<form><input type="text" id="depart" name="depart" placeholder="City of departure"></form>`,
    steps: 'wait 400\ntype #depart Graz\nwait 200\n',
  },
  {
    name: 'load-onload-default',
    location: /#when\.value/,
    hint: 'form-overwritten',
    body: `<input id="when"><img src="/dot.svg?ms=200" alt="">`,
    script: `window.onload = function () { document.getElementById('when').value = 'today'; };`,
    fixed: `document.getElementById('when').value = 'today';`,
    steps: 'wait 500\ntype #when x\nwait 200\n',
  },
  {
    name: 'load-keydown',
    location: /document\.handlers\(keydown\)|#game\.handlers\(keydown\)/,
    hint: 'lost-input',
    body: `${status}<input id="game"><script async src="/delay/150/own.js"></script>`,
    own: `document.addEventListener('keydown', function (event) { ${done} });`,
    fixedHead: `<script>document.addEventListener('keydown', function (event) { ${done} });</script>`,
    fixedBody: `${status}<input id="game">`,
    steps: 'wait 500\ntype #game a\nwait 200\n',
  },
  {
    name: 'load-change-handler',
    location: /#country\.handlers\(change\)/,
    hint: 'lost-input',
    body: `${status}<select id="country"><option>-</option><option>at</option></select><script src="/delay/120/own.js"></script>`,
    own: `document.getElementById('country').onchange = function () { ${done} };`,
    fixedBody: `${status}<select id="country" onchange="document.getElementById('status').textContent = 'done'"><option>-</option><option>at</option></select>`,
    steps: 'wait 400\nselect #country at\nwait 200\n',
  },
  {
    name: 'load-input-handler',
    location: /#message\.handlers\(input\)/,
    hint: 'lost-input',
    body: `<b id="left">9</b><textarea id="message"></textarea><script src="/delay/120/own.js"></script>`,
    own: `var field = document.getElementById('message');
field.addEventListener('input', function () { document.getElementById('left').textContent = 9 - field.value.length; });`,
    fixedBody: `<b id="left">9</b><textarea id="message" oninput="document.getElementById('left').textContent = 9 - this.value.length"></textarea>`,
    steps: 'wait 400\ntype #message a\nwait 200\n',
  },
  {
    name: 'load-onload-click',
    location: /#go\.handlers\(click\)/,
    hint: 'lost-input',
    body: `${status}<button id="go">Go</button><img src="/dot.svg?ms=300" alt="">`,
    script: `window.onload = function () { document.getElementById('go').onclick = function () { ${done} }; };`,
    fixed: `document.getElementById('go').onclick = function () { ${done} };`,
    steps: 'wait 600\nclick #go\nwait 200\n',
  },
  {
    name: 'load-checkbox-click',
    location: /#all\.handlers\(click\)/,
    hint: 'lost-input',
    body: `${status}<input type="checkbox" id="all"><script src="/delay/120/own.js"></script>`,
    own: `document.getElementById('all').onclick = function () { ${done} };`,
    fixedBody: `${status}<input type="checkbox" id="all" onclick="document.getElementById('status').textContent = 'done'">`,
    steps: 'wait 400\nclick #all\nwait 200\n',
  },
  {
    name: 'load-submit-button',
    location: /#send\.handlers\(click\)/,
    hint: 'lost-input',
    body: `${status}<form action="/elsewhere"><input type="submit" id="send" value="Send"></form><script src="/delay/120/own.js"></script>`,
    own: `document.getElementById('send').onclick = function () { ${done} return false; };`,
    fixedBody: `${status}<form action="/elsewhere"><input type="submit" id="send" value="Send" onclick="document.getElementById('status').textContent = 'done'; return false"></form>`,
    steps: 'wait 400\nclick #send\nwait 200\n',
  },
  {
    name: 'load-inserted-script',
    location: /Window\.tracker/,
    hint: 'access-before-definition',
    body: `<button id="go">Go</button>`,
    own: `window.tracker = { send: function () {} };`,
    script: `var script = document.createElement('script');
script.src = '/delay/100/own.js';
document.body.appendChild(script);
document.getElementById('go').onclick = function () { tracker.send('click'); };`,
    fixed: `var script = document.createElement('script');
script.src = '/delay/100/own.js';
document.body.appendChild(script);
document.getElementById('go').onclick = function () { if (window.tracker) tracker.send('click'); };`,
    steps: 'wait 400\nclick #go\nwait 200\n',
  },
  {
    name: 'load-timer-and-onload',
    location: /menu/,
    hint: 'access-before-definition',
    body: `${status}<img src="/dot.svg?ms=100" alt="">`,
    script: `var menu;
window.onload = function () { menu = { open: function () { ${done} } }; };
setTimeout(function () { menu.open(); }, 400);`,
    fixed: `window.onload = function () { var menu = { open: function () { ${done} } }; setTimeout(function () { menu.open(); }, 200); };`,
    steps: 'wait 800\n',
  },
  {
    name: 'load-image-error',
    location: /#photo\.handlers\(error\)/,
    hint: 'lost-input',
    body: `<img id="photo" src="/missing.png?ms=250" alt=""><script src="/delay/60/own.js"></script>`,
    own: `document.getElementById('photo').onerror = function () { this.src = '/dot.svg'; };`,
    fixedBody: `<img id="photo" src="/missing.png?ms=250" alt="" onerror="this.onerror = null; this.src = '/dot.svg'">`,
    steps: 'wait 700\n',
  },
  {
    name: 'load-two-images',
    location: /#(status)\.(text|childList)/,
    body: `${status}<img src="/dot.svg?ms=100" alt="" onload="document.getElementById('status').textContent = 'one'"><img src="/dot.svg?ms=250" alt="" onload="document.getElementById('status').textContent = 'two'">`,
    fixedBody: `${status}<img src="/dot.svg?ms=100" alt="" onload="document.getElementById('status').textContent = 'one'"><img src="/dot.svg?ms=250" alt="">`,
    steps: 'wait 600\n',
  },
  {
    name: 'load-ready-state',
    location: /document\.handlers\(DOMContentLoaded\)/,
    hint: 'lost-input',
    body: `${status}<script>(function () { var s = document.createElement('script'); s.src = '/delay/30/own.js'; document.head.appendChild(s); })();</script><script src="/delay/300/other.js"></script>`,
    own: `document.addEventListener('DOMContentLoaded', function () { ${done} });`,
    fixedOwn: `if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start); else start();
function start() { ${done} }`,
    steps: 'wait 700\n',
  },
  {
    name: 'load-window-onload',
    location: /window\.handlers\(load\)/i,
    hint: 'lost-input',
    body: `${status}<img src="/dot.svg?ms=400" alt="">`,
    script: `fetch('/api/text?ms=20&q=options').then(function () { window.addEventListener('load', function () { ${done} }); });`,
    fixed: `window.addEventListener('load', function () { fetch('/api/text?ms=20&q=options').then(function () { ${done} }); });`,
    steps: 'wait 900\n',
  },
  {
    name: 'load-two-scripts',
    location: /Window\.total|total/,
    body: `${status}<script async src="/delay/60/other.js"></script><script async src="/delay/200/own.js"></script>`,
    other: `window.total = 10;`,
    own: `window.total = (window.total || 0) + 5; document.getElementById('status').textContent = window.total;`,
    fixedBody: `${status}<script defer src="/delay/60/other.js"></script><script defer src="/delay/100/own.js"></script>`,
    steps: 'wait 500\n',
  },
  {
    name: 'load-class',
    location: /Window\.Shop|Shop/,
    hint: 'access-before-definition',
    body: `${status}<button id="go" onclick="new Shop().open()">Go</button><script async src="/delay/150/own.js"></script>`,
    own: `class Shop { open() { ${done} } }
window.Shop = Shop;`,
    fixedHead: `<script>class Shop { open() { ${done} } }
window.Shop = Shop;</script>`,
    fixedBody: `${status}<button id="go" onclick="new Shop().open()">Go</button>`,
    steps: 'wait 500\nclick #go\nwait 200\n',
  },
  {
    name: 'load-translation',
    location: /\.hello/,
    hint: 'access-before-definition',
    body: `${status}<button id="go">Go</button>`,
    script: `var texts = {};
var request = new XMLHttpRequest();
request.open('GET', '/api/list?ms=60&q=hello');
request.onload = function () { texts.hello = JSON.parse(request.responseText)[0]; };
request.send();
document.getElementById('go').onclick = function () { document.getElementById('status').textContent = texts.hello.toUpperCase(); };`,
    fixed: `var texts = {};
var request = new XMLHttpRequest();
request.open('GET', '/api/list?ms=60&q=hello');
request.onload = function () {
  texts.hello = JSON.parse(request.responseText)[0];
  document.getElementById('go').onclick = function () { document.getElementById('status').textContent = texts.hello.toUpperCase(); };
  document.getElementById('go').hidden = false;
};
request.send();`,
    fixedBody: `${status}<button id="go" hidden>Go</button>`,
    steps: 'wait 500\nclick #go\nwait 200\n',
  },
  {
    name: 'load-storage',
    location: /localStorage\[visits\]/,
    hint: 'lost-update',
    body: '<button id="buy">Add</button>',
    script: `buy.onclick = function () {
  var visits = Number(localStorage.getItem('visits'));
  setTimeout(function () { localStorage.setItem('visits', visits + 1); }, 100);
};`,
    fixed: `buy.onclick = function () {
  setTimeout(function () { localStorage.setItem('visits', Number(localStorage.getItem('visits')) + 1); }, 100);
};`,
    steps: 'click #buy\nclick #buy\nwait 600\n',
  },
  {
    name: 'load-gallery',
    location: /#gallery\.childList/,
    body: '<button id="one">Sea</button><button id="two">City</button><div id="gallery"></div>',
    script: `function open(kind) {
  gallery.innerHTML = '';
  var request = new XMLHttpRequest();
  request.open('GET', '/api/list?ms=80&q=' + kind);
  request.onload = function () {
    JSON.parse(request.responseText).forEach(function (name) {
      var image = new Image();
      image.src = '/dot.svg?' + name;
      gallery.appendChild(image);
    });
  };
  request.send();
}
one.onclick = function () { open('sea'); };
two.onclick = function () { open('city'); };`,
    fixed: `var last = null;
function open(kind) {
  gallery.innerHTML = '';
  if (last) last.abort();
  var request = last = new XMLHttpRequest();
  request.open('GET', '/api/list?ms=80&q=' + kind);
  request.onload = function () {
    JSON.parse(request.responseText).forEach(function (name) {
      var image = new Image();
      image.src = '/dot.svg?' + name;
      gallery.appendChild(image);
    });
  };
  request.send();
}
one.onclick = function () { open('sea'); };
two.onclick = function () { open('city'); };`,
    steps: 'click #one\nclick #two\nwait 700\n',
  },
];
