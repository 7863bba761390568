// Mistakes as they are written with React, with jQuery and without a library: answers, messages and timers that meet
// an input or each other, and scripts that announce themselves before anybody listens.

const twice = 'click #one\nclick #two\nwait 700\n';
const apart = 'click #one\nwait 400\nclick #two\nwait 400\n';
const oneTwo = '<button id="one">One</button><button id="two">Two</button>';
const react = ['react.js'];
const jquery = ['jquery.js'];

export const mixed = [
  {
    name: 'react-effect-without-cleanup',
    location: /\.(text|childList)|closure/,
    libraries: react,
    body: '<div id="root"></div>',
    script: `const { createElement: h, useState, useEffect } = React;
function Article() {
  const [id, setId] = useState(0);
  const [text, setText] = useState('');
  useEffect(() => {
    if (id) fetch('/api/text?ms=' + (id === 1 ? 150 : 60) + '&q=' + id).then((r) => r.text()).then(setText);
  }, [id]);
  return h('div', null, h('button', { id: 'one', onClick: () => setId(1) }, 'One'),
    h('button', { id: 'two', onClick: () => setId(2) }, 'Two'), h('p', { id: 'article' }, text));
}
ReactDOM.createRoot(root).render(h(Article));`,
    fixed: `const { createElement: h, useState, useEffect } = React;
function Article() {
  const [id, setId] = useState(0);
  const [text, setText] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (id) fetch('/api/text?ms=60&q=' + id, { signal }).then((r) => r.text()).then(setText, () => {});
    return () => controller.abort();
  }, [id]);
  return h('div', null, h('button', { id: 'one', onClick: () => setId(1) }, 'One'),
    h('button', { id: 'two', onClick: () => setId(2) }, 'Two'), h('p', { id: 'article' }, text));
}
ReactDOM.createRoot(root).render(h(Article));`,
    steps: twice,
  },
  {
    name: 'react-prefilled-field',
    location: /\.value|#name/,
    libraries: react,
    body: '<div id="root"></div>',
    script: `const { createElement: h, useState, useEffect } = React;
function Profile() {
  const [name, setName] = useState('');
  useEffect(() => { fetch('/api/text?ms=250&q=ada').then((r) => r.text()).then(setName); }, []);
  return h('input', { id: 'name', value: name, onChange: (e) => setName(e.target.value) });
}
ReactDOM.createRoot(root).render(h(Profile));`,
    fixed: `const { createElement: h, useState, useEffect } = React;
function Profile() {
  const [name, setName] = useState(null);
  useEffect(() => { fetch('/api/text?ms=250&q=ada').then((r) => r.text()).then(setName); }, []);
  if (name === null) return h('p', null, 'Loading');
  return h('input', { id: 'name', value: name, onChange: (e) => setName(e.target.value) });
}
ReactDOM.createRoot(root).render(h(Profile));`,
    steps: 'wait 500\ntype #name bob\nwait 300\n',
  },
  {
    name: 'react-like-twice',
    location: /\.(text|childList)|closure/,
    libraries: react,
    body: '<div id="root"></div>',
    script: `const { createElement: h, useState } = React;
function Like() {
  const [likes, setLikes] = useState(0);
  const like = async () => {
    await fetch('/api/count?ms=80', { method: 'POST' });
    setLikes(likes + 1);
  };
  return h('div', null, h('button', { id: 'like', onClick: like }, 'Like'), h('p', { id: 'likes' }, String(likes)));
}
ReactDOM.createRoot(root).render(h(Like));`,
    fixed: `const { createElement: h, useState } = React;
function Like() {
  const [likes, setLikes] = useState(0);
  const [busy, setBusy] = useState(false);
  const like = async () => {
    setBusy(true);
    await fetch('/api/count?ms=80', { method: 'POST' });
    setLikes(likes + 1);
    setBusy(false);
  };
  return h('div', null, h('button', { id: 'like', onClick: like, disabled: busy }, 'Like'),
    h('p', { id: 'likes' }, String(likes)));
}
ReactDOM.createRoot(root).render(h(Like));`,
    steps: 'click #like\nclick #like\nwait 600\n',
    fixedSteps: 'click #like\nwait 400\nclick #like\nwait 400\n',
  },
  {
    name: 'jquery-tabs',
    location: /#panel\.(text|childList)/,
    libraries: jquery,
    body: `${oneTwo}<div id="panel"></div>`,
    script: `$('#one, #two').on('click', function () {
  $.get('/api/text', { ms: this.id === 'one' ? 150 : 50, q: this.id }, function (text) { $('#panel').html(text); });
});`,
    fixed: `var pending;
$('#one, #two').on('click', function () {
  if (pending) pending.abort();
  pending = $.get('/api/text', { ms: 60, q: this.id }, function (text) { $('#panel').html(text); });
});`,
    steps: twice,
  },
  {
    name: 'jquery-late-delegate',
    location: /handlers\(click\)/,
    hint: 'lost-input',
    libraries: jquery,
    body: '<ul id="rows"><li><button class="remove" id="first">Remove</button></li></ul><script async src="/delay/150/own.js"></script>',
    own: "$(document).on('click', '.remove', function () { $(this).closest('li').remove(); });",
    fixedBody: `<script>$(document).on('click', '.remove', function () { $(this).closest('li').remove(); });</script>
<ul id="rows"><li><button class="remove" id="first">Remove</button></li></ul>`,
    steps: 'wait 400\nclick #first\nwait 200\n',
  },
  {
    name: 'jquery-preferences',
    location: /#city\.value/,
    libraries: jquery,
    body: '<input id="city">',
    script: "$(function () { $.getJSON('/api/list?ms=200&q=Graz', function (list) { $('#city').val(list[0]); }); });",
    fixed: `$(function () {
  $.getJSON('/api/list?ms=200&q=Graz', function (list) { if (!$('#city').val()) $('#city').val(list[0]); });
});`,
    steps: 'wait 500\ntype #city Linz\nwait 200\n',
  },
  {
    name: 'jquery-show-hide',
    location: /#box\.(style|childList|text)/,
    libraries: jquery,
    body: '<button id="one">Open</button><button id="two">Close</button><div id="box" style="display: none"></div>',
    script: `$('#one').click(function () { $.get('/api/text?ms=60&q=help', function (t) { $('#box').text(t).show(); }); });
$('#two').click(function () { $('#box').hide(); });`,
    fixed: `var pending;
$('#one').click(function () {
  pending = $.get('/api/text?ms=60&q=help', function (t) { $('#box').text(t).show(); });
});
$('#two').click(function () { if (pending) pending.abort(); $('#box').hide(); });`,
    steps: apart,
  },
  {
    name: 'socket-and-answer',
    location: /#status\.(text|childList)/,
    body: '<p id="status">unknown</p>',
    script: `const socket = new WebSocket('ws://' + location.host + '/socket?ms=120');
socket.onmessage = (message) => { document.getElementById('status').textContent = message.data; };
fetch('/api/text?ms=60&q=offline').then((r) => r.text()).then((text) => {
  document.getElementById('status').textContent = text;
});`,
    fixed: `fetch('/api/text?ms=60&q=offline').then((r) => r.text()).then((text) => {
  document.getElementById('status').textContent = text;
  const socket = new WebSocket('ws://' + location.host + '/socket?ms=120');
  socket.onmessage = (message) => { document.getElementById('status').textContent = message.data; };
});`,
    steps: 'wait 700\n',
  },
  {
    name: 'rebuilt-under-the-user',
    location: /#box\.childList|#note/,
    body: '<div id="box"><input id="note"></div>',
    script: `fetch('/api/text?ms=200&q=more').then((r) => r.text()).then((text) => {
  box.innerHTML = '<input id="note"><p>' + text + '</p>';
});`,
    fixed: `fetch('/api/text?ms=200&q=more').then((r) => r.text()).then((text) => {
  box.parentNode.append(Object.assign(document.createElement('p'), { textContent: text }));
});`,
    steps: 'type #note hello\nwait 500\n',
    early: true,
  },
  {
    name: 'class-of-answer',
    location: /#menu\.class/,
    body: '<button id="one">Open</button><button id="two">Close</button><div id="menu"></div>',
    script: `one.onclick = async () => {
  await fetch('/api/text?ms=60&q=menu');
  menu.classList.add('open');
};
two.onclick = () => { menu.classList.remove('open'); };`,
    fixed: `let request;
one.onclick = async () => {
  request = new AbortController();
  await fetch('/api/text?ms=60&q=menu', { signal: request.signal });
  menu.classList.add('open');
};
two.onclick = () => { if (request) request.abort(); menu.classList.remove('open'); };`,
    steps: apart,
  },
  {
    name: 'class-name-of-answer',
    location: /#row\.class/,
    body: '<button id="one">Save</button><button id="two">Edit</button><p id="row" class="saved">Row</p>',
    script: `one.onclick = () => fetch('/api/text?ms=60&q=row').then(() => { row.className = 'saved'; });
two.onclick = () => { row.className = 'changed'; };`,
    fixed: `let edits = 0;
one.onclick = () => {
  const before = edits;
  fetch('/api/text?ms=60&q=row').then(() => { if (edits === before) row.className = 'saved'; });
};
two.onclick = () => { edits++; row.className = 'changed'; };`,
    steps: apart,
  },
  {
    name: 'check-all-and-answer',
    location: /\.checked/,
    body: '<button id="all">All</button><input type="checkbox" id="a"><input type="checkbox" id="b">',
    script: `fetch('/api/list?ms=200&q=a').then((r) => r.json()).then(() => { a.checked = true; b.checked = false; });
all.onclick = () => { a.checked = b.checked = true; };`,
    fixed: `all.disabled = true;
fetch('/api/list?ms=200&q=a').then((r) => r.json()).then(() => {
  a.checked = true;
  b.checked = false;
  all.disabled = false;
});
all.onclick = () => { a.checked = b.checked = true; };`,
    steps: 'wait 400\nclick #all\nwait 200\n',
  },
  {
    name: 'theme-from-storage',
    location: /body\.class|localStorage/,
    body: '<button id="dark">Dark</button><script async src="/delay/150/own.js"></script>',
    script: "dark.onclick = () => { localStorage.theme = 'dark'; document.body.className = 'dark'; };",
    own: "localStorage.theme = localStorage.theme || 'light'; document.body.className = 'light';",
    fixedBody: `<script>document.body.className = localStorage.theme || 'light';</script><button id="dark">Dark</button>`,
    steps: 'wait 400\nclick #dark\nwait 200\n',
  },
  {
    name: 'optional-library',
    location: /Chart|#chart/,
    body: '<div id="chart"></div><script async src="/delay/60/own.js"></script><script async src="/delay/160/other.js"></script>',
    own: "window.Chart = function (element) { element.textContent = 'drawn'; };",
    other: "if (window.Chart) window.Chart(document.getElementById('chart'));",
    fixedBody:
      '<div id="chart"></div><script defer src="/delay/60/own.js"></script><script defer src="/delay/160/other.js"></script>',
    steps: 'wait 500\n',
  },
  {
    name: 'toast-timer',
    location: /#toast\.(hidden|style|childList|text)/,
    body: '<button id="save">Save</button><p id="toast" hidden></p>',
    script: `let n = 0;
save.onclick = () => {
  toast.textContent = 'Saved ' + ++n;
  toast.hidden = false;
  setTimeout(() => { toast.hidden = true; }, 250);
};`,
    fixed: `let n = 0, timer;
save.onclick = () => {
  toast.textContent = 'Saved ' + ++n;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, 250);
};`,
    steps: 'click #save\nwait 100\nclick #save\nwait 600\n',
  },
  {
    name: 'validated-field',
    location: /#error\.(text|childList)/,
    body: '<input id="user"><p id="error"></p>',
    script: `user.addEventListener('input', async () => {
  error.textContent = '';
  const answer = await (await fetch('/api/text?ms=' + (user.value.length < 3 ? 200 : 40) + '&q=' + user.value)).text();
  error.textContent = user.value.length < 3 ? 'too short' : answer;
});`,
    fixed: `let last = 0;
user.addEventListener('input', async () => {
  const mine = ++last;
  error.textContent = '';
  const answer = await (await fetch('/api/text?ms=60&q=' + user.value)).text();
  if (mine === last) error.textContent = user.value.length < 3 ? 'too short' : answer;
});`,
    steps: 'type #user ada\nwait 700\n',
  },
  {
    name: 'enabled-by-old-answer',
    location: /#send\.disabled/,
    body: '<input id="mail"><button id="send" disabled>Send</button>',
    script: `mail.oninput = function () {
  send.disabled = true;
  fetch('/api/text?ms=80&q=' + mail.value).then(function (r) { if (r.ok) send.disabled = false; });
};`,
    fixed: `var controller;
mail.oninput = function () {
  if (controller) controller.abort();
  controller = new AbortController();
  send.disabled = true;
  fetch('/api/text?ms=80&q=' + mail.value, { signal: controller.signal })
    .then(function (r) { if (r.ok) send.disabled = false; }, function () {});
};`,
    steps: 'type #mail a@b\nwait 600\n',
  },
  {
    name: 'unread-messages',
    location: /#badge\.(text|childList)/,
    body: '<b id="badge">0</b>',
    script: `const socket = new WebSocket('ws://' + location.host + '/socket?ms=60');
socket.onmessage = () => { badge.textContent = Number(badge.textContent) + 1; };
fetch('/api/count?ms=200').then((r) => r.text()).then((n) => { badge.textContent = n; });`,
    fixed: `fetch('/api/count?ms=100').then((r) => r.text()).then((n) => {
  badge.textContent = n;
  const socket = new WebSocket('ws://' + location.host + '/socket?ms=60');
  socket.onmessage = () => { badge.textContent = Number(badge.textContent) + 1; };
});`,
    steps: 'wait 700\n',
  },
  {
    name: 'picture-of-answer',
    location: /#photo\.(src|attr)/,
    body: `${oneTwo}<img id="photo" alt="">`,
    script: `const show = (n, ms) => fetch('/api/text?ms=' + ms + '&q=' + n).then((r) => r.text())
  .then(() => { photo.src = '/dot.svg?n=' + n; });
one.onclick = () => show(1, 200);
two.onclick = () => show(2, 50);`,
    fixed: `let wanted;
const show = (n) => {
  wanted = n;
  fetch('/api/text?ms=60&q=' + n).then((r) => r.text()).then(() => { if (wanted === n) photo.src = '/dot.svg?n=' + n; });
};
one.onclick = () => show(1);
two.onclick = () => show(2);`,
    steps: twice,
  },
  {
    name: 'default-rate',
    location: /rate/,
    body: '<input id="amount" value="10"><button id="convert">Convert</button><p id="total"></p>',
    script: `let rate = 1;
fetch('/api/count?ms=200').then((r) => r.text()).then((text) => { rate = 1 + Number(text); });
convert.onclick = () => { total.textContent = Number(amount.value) * rate; };`,
    fixed: `const rate = fetch('/api/count?ms=200').then((r) => r.text()).then((text) => 1 + Number(text));
convert.onclick = () => rate.then((rate) => { total.textContent = Number(amount.value) * rate; });`,
    steps: 'wait 400\nclick #convert\nwait 200\n',
  },
  {
    name: 'user-of-state',
    location: /user/,
    body: '<button id="greet">Greet</button><p id="greeting"></p>',
    script: `const state = { user: null };
fetch('/api/list?ms=150&q=ada').then((r) => r.json()).then((list) => { state.user = { name: list[0] }; });
greet.onclick = () => { greeting.textContent = 'Hello ' + state.user.name; };`,
    fixed: `const state = { user: null };
greet.disabled = true;
fetch('/api/list?ms=150&q=ada').then((r) => r.json()).then((list) => {
  state.user = { name: list[0] };
  greet.disabled = false;
});
greet.onclick = () => { greeting.textContent = 'Hello ' + state.user.name; };`,
    steps: 'wait 400\nclick #greet\nwait 200\n',
  },
  {
    name: 'token-of-form',
    location: /#token\.value/,
    body: '<form id="form" action="/elsewhere"><input type="hidden" id="token" name="token"><button id="go">Go</button></form><p id="sent"></p>',
    script: `fetch('/api/text?ms=200&q=token').then((r) => r.text()).then((text) => { token.value = text; });
form.onsubmit = (event) => {
  event.preventDefault();
  fetch('/api/text?q=' + encodeURIComponent(token.value)).then((r) => r.text()).then((t) => { sent.textContent = t; });
};`,
    fixed: `go.disabled = true;
fetch('/api/text?ms=200&q=token').then((r) => r.text()).then((text) => { token.value = text; go.disabled = false; });
form.onsubmit = (event) => {
  event.preventDefault();
  fetch('/api/text?q=' + encodeURIComponent(token.value)).then((r) => r.text()).then((t) => { sent.textContent = t; });
};`,
    steps: 'wait 400\nclick #go\nwait 300\n',
  },
  {
    name: 'messages-in-any-order',
    location: /#log\.(text|childList)|messages|Array/,
    body: `${oneTwo}<ol id="log"></ol>`,
    script: `const messages = [];
const ask = async (q, ms) => {
  messages.push(await (await fetch('/api/text?ms=' + ms + '&q=' + q)).text());
  log.innerHTML = messages.map((m) => '<li>' + m).join('');
};
one.onclick = () => ask('one', 200);
two.onclick = () => ask('two', 50);`,
    fixed: `const messages = [];
let last = Promise.resolve();
const ask = (q, ms) => {
  const answer = fetch('/api/text?ms=' + ms + '&q=' + q).then((r) => r.text());
  last = last.then(() => answer).then((text) => {
    messages.push(text);
    log.innerHTML = messages.map((m) => '<li>' + m).join('');
  });
};
one.onclick = () => ask('one', 200);
two.onclick = () => ask('two', 50);`,
    steps: twice,
  },
  {
    name: 'autosave-normalizes',
    location: /#text\.value/,
    body: '<textarea id="text"></textarea>',
    script: `text.addEventListener('input', async () => {
  const saved = await (await fetch('/api/text?ms=120&q=' + encodeURIComponent(text.value))).text();
  text.value = saved;
});`,
    fixed: `text.addEventListener('input', async () => {
  const sent = text.value;
  const saved = await (await fetch('/api/text?ms=120&q=' + encodeURIComponent(sent))).text();
  if (text.value === sent) text.value = saved;
});`,
    steps: 'type #text a\nwait 400\ntype #text b\nwait 400\n',
  },
  {
    name: 'cookie-of-answer',
    location: /cookie/,
    body: '<button id="german">German</button>',
    script: `fetch('/api/text?ms=200&q=en').then(() => { document.cookie = 'lang=en'; });
german.onclick = () => { document.cookie = 'lang=de'; };`,
    fixed: `german.disabled = true;
fetch('/api/text?ms=200&q=en').then(() => { document.cookie = 'lang=en'; german.disabled = false; });
german.onclick = () => { document.cookie = 'lang=de'; };`,
    steps: 'wait 400\nclick #german\nwait 200\n',
  },
  {
    name: 'draft-deleted-by-answer',
    location: /sessionStorage|localStorage/,
    body: '<textarea id="post"></textarea><button id="save">Save</button>',
    script: `post.oninput = () => sessionStorage.setItem('draft', post.value);
save.onclick = () => fetch('/api/text?ms=80&q=save').then(() => sessionStorage.removeItem('draft'));`,
    fixed: `post.oninput = () => sessionStorage.setItem('draft', post.value);
save.onclick = () => {
  post.disabled = true;
  fetch('/api/text?ms=80&q=save').then(() => { sessionStorage.removeItem('draft'); post.disabled = false; });
};`,
    steps: 'type #post a\nclick #save\nwait 300\ntype #post b\nwait 200\n',
  },
  {
    name: 'message-before-listener',
    location: /handlers\(message\)/,
    body: '<p id="height"></p><iframe src="/frame/a"></iframe><script async src="/delay/120/own.js"></script>',
    frames: { a: "<script>parent.postMessage('ready', '*');</script>" },
    own: "addEventListener('message', (message) => { document.getElementById('height').textContent = message.data; });",
    fixedBody: `<p id="height"></p>
<script>addEventListener('message', (message) => { document.getElementById('height').textContent = message.data; });</script>
<iframe src="/frame/a"></iframe>`,
    steps: 'wait 500\n',
  },
  {
    name: 'announced-before-listener',
    location: /handlers\(data-ready\)/,
    body: '<p id="list"></p><script async src="/delay/150/own.js"></script><script async src="/delay/60/other.js"></script>',
    own: "document.dispatchEvent(new CustomEvent('data-ready', { detail: 'rows' }));",
    other:
      "document.addEventListener('data-ready', (event) => { document.getElementById('list').textContent = event.detail; });",
    fixedBody:
      '<p id="list"></p><script defer src="/delay/60/other.js"></script><script defer src="/delay/150/own.js"></script>',
    steps: 'wait 500\n',
  },
  {
    name: 'hash-of-answer',
    location: /location|hash|#view/,
    body: '<button id="one">Load</button><button id="two">Home</button><p id="view"></p>',
    script: `one.onclick = () => fetch('/api/text?ms=60&q=page').then((r) => r.text()).then((text) => { view.innerHTML = text; });
two.onclick = () => { location.hash = 'home'; view.innerHTML = 'home'; };`,
    fixed: `let turn = 0;
one.onclick = () => {
  const mine = ++turn;
  fetch('/api/text?ms=60&q=page').then((r) => r.text()).then((text) => { if (mine === turn) view.innerHTML = text; });
};
two.onclick = () => { turn++; location.hash = 'home'; view.innerHTML = 'home'; };`,
    steps: apart,
  },
  {
    name: 'focus-after-answer',
    location: /activeElement/,
    body: '<button id="open">Search</button><input id="name"><div id="panel"></div>',
    script: `open.onclick = async () => {
  panel.innerHTML = '<input id="query">' + (await (await fetch('/api/text?ms=60&q=panel')).text());
  panel.firstChild.focus();
};`.replace(/open\./g, "document.getElementById('open')."),
    fixed: `document.getElementById('open').onclick = () => {
  panel.innerHTML = '<input id="query">';
  panel.firstChild.focus();
  fetch('/api/text?ms=60&q=panel').then((r) => r.text()).then((text) => { panel.append(text); });
};`,
    steps: 'click #open\nwait 400\nclick #name\nwait 200\n',
  },
];
