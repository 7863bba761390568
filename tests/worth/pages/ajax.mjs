// Answers that come when the page has gone on: the user has cleared, closed, sorted or typed meanwhile, or another
// answer tells of something newer (after AjaxRacer's four cases and EventRaceCommander's pages).

const twoButtons = '<button id="one">One</button><button id="two">Two</button>';
const both = 'click #one\nwait 400\nclick #two\nwait 400\n';
const quickly = 'click #one\nclick #two\nwait 600\n';

export const ajax = [
  {
    name: 'ajax-clear',
    location: /#results\.(text|childList)/,
    body: '<input id="q"><button id="clear">Clear</button><p id="results"></p>',
    script: `q.onchange = function () {
  var request = new XMLHttpRequest();
  request.open('GET', '/api/text?ms=60&q=' + q.value);
  request.onreadystatechange = function () {
    if (request.readyState == 4 && request.status == 200) results.innerHTML = request.responseText;
  };
  request.send();
};
clear.onclick = function () { results.innerHTML = ''; };`,
    fixed: `var pending = null;
q.onchange = function () {
  var request = pending = new XMLHttpRequest();
  request.open('GET', '/api/text?ms=60&q=' + q.value);
  request.onreadystatechange = function () {
    if (request.readyState == 4 && request.status == 200) results.innerHTML = request.responseText;
  };
  request.send();
};
clear.onclick = function () { if (pending) pending.abort(); results.innerHTML = ''; };`,
    steps: 'type #q abc\npress Tab\nwait 400\nclick #clear\nwait 200\n',
  },
  {
    name: 'ajax-dialog-closed',
    location: /#box\.(text|childList|style|hidden|className|class)/,
    body: '<button id="one">Open</button><button id="two">Close</button><div id="box" hidden></div>',
    script: `one.onclick = async () => {
  const text = await (await fetch('/api/text?ms=60&q=details')).text();
  box.textContent = text;
  box.hidden = false;
};
two.onclick = () => { box.hidden = true; };`,
    fixed: `let wanted = false;
one.onclick = async () => {
  wanted = true;
  const text = await (await fetch('/api/text?ms=60&q=details')).text();
  if (!wanted) return;
  box.textContent = text;
  box.hidden = false;
};
two.onclick = () => { wanted = false; box.hidden = true; };`,
    steps: both,
  },
  {
    name: 'ajax-pages',
    location: /#rows\.(text|childList)/,
    hint: 'stale-response',
    body: '<button id="one">Previous</button><button id="two">Next</button><ul id="rows"></ul>',
    script: `let page = 3;
function load() {
  fetch('/api/list?ms=80&q=page' + page).then((r) => r.json()).then((items) => {
    rows.innerHTML = items.map((item) => '<li>' + item).join('');
  });
}
one.onclick = () => { page--; load(); };
two.onclick = () => { page++; load(); };`,
    fixed: `let page = 3, request;
function load() {
  if (request) request.abort();
  request = new AbortController();
  fetch('/api/list?ms=80&q=page' + page, { signal: request.signal }).then((r) => r.json()).then((items) => {
    rows.innerHTML = items.map((item) => '<li>' + item).join('');
  }, () => {});
}
one.onclick = () => { page--; load(); };
two.onclick = () => { page++; load(); };`,
    steps: quickly,
  },
  {
    name: 'ajax-endless-list',
    location: /#rows\.childList/,
    body: '<button id="more">More</button><ul id="rows"></ul>',
    script: `let page = 0;
async function load() {
  page += 1;
  const items = await (await fetch('/api/list?ms=80&q=page' + page)).json();
  for (const item of items) rows.append(Object.assign(document.createElement('li'), { textContent: item }));
}
more.addEventListener('click', load);`,
    fixed: `let page = 0, loading = false;
async function load() {
  if (loading) return;
  loading = true;
  page += 1;
  const items = await (await fetch('/api/list?ms=80&q=page' + page)).json();
  for (const item of items) rows.append(Object.assign(document.createElement('li'), { textContent: item }));
  loading = false;
}
more.addEventListener('click', load);`,
    steps: 'click #more\nclick #more\nwait 600\n',
  },
  {
    name: 'ajax-suggestions-after-choice',
    location: /#list\.(text|childList)/,
    body: '<input id="q"><button id="choose">Choose</button><ul id="list"></ul>',
    script: `const hide = () => { list.innerHTML = ''; };
q.addEventListener('input', async () => {
  const names = await (await fetch('/api/list?ms=60&q=' + q.value)).json();
  list.innerHTML = names.map((name) => '<li>' + name).join('');
});
choose.addEventListener('click', hide);`,
    fixed: `let turn = 0;
q.addEventListener('input', async () => {
  const mine = ++turn;
  const names = await (await fetch('/api/list?ms=60&q=' + q.value)).json();
  if (mine === turn) list.innerHTML = names.map((name) => '<li>' + name).join('');
});
choose.addEventListener('click', () => { turn++; list.innerHTML = ''; });`,
    steps: 'type #q a\nwait 400\nclick #choose\nwait 200\n',
  },
  {
    name: 'ajax-cart-badge',
    location: /#badge\.(text|childList)/,
    hint: 'stale-response',
    libraries: ['jquery.js'],
    body: '<button id="one">Add apple</button><button id="two">Add pear</button><span id="badge">0</span>',
    script: `$('#one').click(function () { $.post('/api/count?ms=200', { item: 'apple' }, function (n) { $('#badge').text(n); }); });
$('#two').click(function () { $.post('/api/count?ms=200', { item: 'pear' }, function (n) { $('#badge').text(n); }); });`,
    fixed: `var queue = $.when();
function add(item) {
  queue = queue
    .then(function () { return $.post('/api/count?ms=200', { item: item }); })
    .then(function (n) { $('#badge').text(n); });
}
$('#one').click(function () { add('apple'); });
$('#two').click(function () { add('pear'); });`,
    steps: 'click #one\nclick #two\nwait 1200\n',
  },
  {
    name: 'ajax-add-and-delete',
    location: /#rows\.(text|childList)/,
    hint: 'stale-response',
    body: '<button id="one">Add</button><button id="two">Delete</button><ul id="rows"></ul>',
    script: `const draw = (items) => { rows.innerHTML = items.map((item) => '<li>' + item + '</li>').join(''); };
const change = (what) => fetch('/api/list?ms=70&q=' + what, { method: 'POST' }).then((r) => r.json()).then(draw);
one.onclick = () => change('added');
two.onclick = () => change('deleted');`,
    fixed: `const draw = (items) => { rows.innerHTML = items.map((item) => '<li>' + item + '</li>').join(''); };
const change = async (what) => {
  one.disabled = two.disabled = true;
  draw(await (await fetch('/api/list?ms=70&q=' + what, { method: 'POST' })).json());
  one.disabled = two.disabled = false;
};
one.onclick = () => change('added');
two.onclick = () => change('deleted');`,
    steps: quickly,
    fixedSteps: 'click #one\nwait 300\nclick #two\nwait 300\n',
  },
  {
    name: 'ajax-getjson-filter',
    location: /#rows\.(text|childList)/,
    hint: 'stale-response',
    libraries: ['jquery.js'],
    body: '<input type="checkbox" id="one"><input type="checkbox" id="two"><ul id="rows"></ul>',
    script: `$(':checkbox').change(function () {
  $.getJSON('/api/list?ms=150&q=' + this.id, function (items) {
    $('#rows').empty();
    $.each(items, function (i, item) { $('<li>').text(item).appendTo('#rows'); });
  });
});`,
    fixed: `var last = 0;
$(':checkbox').change(function () {
  var mine = ++last;
  $.getJSON('/api/list?ms=150&q=' + this.id, function (items) {
    if (mine !== last) return;
    $('#rows').empty();
    $.each(items, function (i, item) { $('<li>').text(item).appendTo('#rows'); });
  });
});`,
    steps: 'click #one\nclick #two\nwait 1000\n',
  },
  {
    name: 'ajax-chat',
    location: /#log\.(text|childList)/,
    body: '<div id="log"></div>',
    script: `const socket = new WebSocket('ws://' + location.host + '/socket?ms=400');
socket.onmessage = (event) => { log.innerHTML += '<p>' + event.data + '</p>'; };
fetch('/api/text?ms=60&q=history').then((r) => r.text()).then((text) => { log.innerHTML = '<p>' + text + '</p>'; });`,
    fixed: `fetch('/api/text?ms=60&q=history').then((r) => r.text()).then((text) => {
  log.innerHTML = '<p>' + text + '</p>';
  const socket = new WebSocket('ws://' + location.host + '/socket?ms=100');
  socket.onmessage = (event) => { log.innerHTML += '<p>' + event.data + '</p>'; };
});`,
    steps: 'wait 900\n',
  },
  {
    name: 'ajax-live-price',
    location: /#price\.(text|childList)/,
    body: '<b id="price">?</b>',
    script: `fetch('/api/text?ms=60&q=price').then((r) => r.text()).then((text) => { price.textContent = text; });
new WebSocket('ws://' + location.host + '/socket?ms=400').addEventListener('message', ({ data }) => { price.textContent = data; });`,
    fixed: `let isLive = false;
fetch('/api/text?ms=60&q=price').then((r) => r.text()).then((text) => { if (!isLive) price.textContent = text; });
new WebSocket('ws://' + location.host + '/socket?ms=400').addEventListener('message', ({ data }) => { isLive = true; price.textContent = data; });`,
    steps: 'wait 900\n',
  },
  {
    name: 'ajax-progress',
    location: /#bar\.(value|style)/,
    hint: 'stale-response',
    body: '<progress id="bar" max="9" value="0"></progress>',
    script: `let asked = 0;
const timer = setInterval(() => {
  if (++asked === 3) clearInterval(timer);
  fetch('/api/count?ms=150').then((r) => r.text()).then((n) => { bar.value = Number(n); });
}, 60);`,
    fixed: `let asked = 0;
const ask = () => fetch('/api/count?ms=150').then((r) => r.text()).then((n) => {
  bar.value = Number(n);
  if (++asked < 3) setTimeout(ask, 60);
});
ask();`,
    steps: 'wait 1000\n',
  },
  {
    name: 'ajax-saved-status',
    location: /#state\.(text|childList)/,
    body: '<textarea id="note"></textarea><p id="state"></p>',
    script: `note.addEventListener('input', () => {
  state.textContent = 'Saving…';
  fetch('/api/text?ms=90&q=x', { method: 'POST', body: note.value }).then(() => { state.textContent = 'Saved'; });
});`,
    fixed: `let version = 0;
note.addEventListener('input', () => {
  const mine = ++version;
  state.textContent = 'Saving…';
  fetch('/api/text?ms=90&q=x', { method: 'POST', body: note.value }).then(() => { if (mine === version) state.textContent = 'Saved'; });
});`,
    steps: 'type #note a\nwait 400\ntype #note b\nwait 400\n',
  },
  {
    name: 'ajax-logout',
    location: /#user\.(text|childList)/,
    body: '<span id="user"></span><button id="leave">Log out</button>',
    script: `fetch('/api/text?ms=60&q=Ada').then((r) => r.text()).then((name) => { user.textContent = name; });
leave.onclick = () => { user.textContent = ''; };`,
    fixed: `let isIn = true;
fetch('/api/text?ms=60&q=Ada').then((r) => r.text()).then((name) => { if (isIn) user.textContent = name; });
leave.onclick = () => { isIn = false; user.textContent = ''; };`,
    steps: 'wait 400\nclick #leave\nwait 200\n',
  },
  {
    name: 'ajax-sort',
    location: /#rows\.childList/,
    body: '<button id="sort">Sort</button><ul id="rows"><li>b</li><li>a</li></ul>',
    script: `fetch('/api/list?ms=60&q=a').then((r) => r.json()).then((items) => {
  for (const item of items) { const li = document.createElement('li'); li.textContent = item; rows.appendChild(li); }
});
sort.onclick = () => {
  [...rows.children].sort((a, b) => a.textContent.localeCompare(b.textContent)).forEach((row) => rows.appendChild(row));
};`,
    fixed: `let isSorted = false;
const order = () => [...rows.children].sort((a, b) => a.textContent.localeCompare(b.textContent)).forEach((row) => rows.appendChild(row));
const loading = fetch('/api/list?ms=60&q=a').then((r) => r.json()).then((items) => {
  for (const item of items) { const li = document.createElement('li'); li.textContent = item; rows.appendChild(li); }
});
sort.onclick = () => { loading.then(order); };`,
    steps: 'wait 400\nclick #sort\nwait 200\n',
  },
  {
    name: 'ajax-gives-up',
    location: /#state\.(text|childList)/,
    body: '<p id="state">Loading…</p>',
    script: `setTimeout(() => { state.textContent = 'The server does not answer.'; }, 400);
fetch('/api/text?ms=60&q=news').then((r) => r.text()).then((text) => { state.textContent = text; });`,
    fixed: `const timer = setTimeout(() => { state.textContent = 'The server does not answer.'; }, 400);
fetch('/api/text?ms=60&q=news').then((r) => r.text()).then((text) => { clearTimeout(timer); state.textContent = text; });`,
    steps: 'wait 900\n',
  },
  {
    name: 'ajax-token',
    location: /token/,
    hint: 'access-before-definition',
    body: '<button id="save">Save</button>',
    script: `let token;
fetch('/api/text?ms=60&q=token').then((r) => r.text()).then((text) => { token = text; });
save.onclick = () => { fetch('/api/text?q=saved&token=' + token, { method: 'POST' }); };`,
    fixed: `const token = fetch('/api/text?ms=60&q=token').then((r) => r.text());
save.onclick = async () => { fetch('/api/text?q=saved&token=' + await token, { method: 'POST' }); };`,
    steps: 'wait 400\nclick #save\nwait 200\n',
  },
  {
    name: 'ajax-like',
    location: /#likes\.(text|childList)/,
    body: '<button id="like">Like</button><b id="likes">4</b>',
    script: `fetch('/api/count?ms=60').then((r) => r.text()).then((n) => { likes.textContent = n; });
like.onclick = () => { likes.textContent = Number(likes.textContent) + 1; };`,
    fixed: `like.disabled = true;
fetch('/api/count?ms=60').then((r) => r.text()).then((n) => {
  likes.textContent = n;
  like.onclick = () => { likes.textContent = Number(likes.textContent) + 1; };
  like.disabled = false;
});`,
    steps: 'wait 400\nclick #like\nwait 200\n',
  },
  {
    name: 'ajax-location',
    location: /location|navigat|href/,
    body: `${twoButtons}<a id="next" href="#nowhere">Next</a>`,
    script: `const point = (name) => fetch('/api/text?ms=80&q=' + name).then((r) => r.text()).then((text) => { next.href = '#' + text; });
one.onclick = () => point('one');
two.onclick = () => point('two');`,
    fixed: `let last;
const point = (name) => {
  last = name;
  fetch('/api/text?ms=80&q=' + name).then((r) => r.text()).then((text) => { if (last === name) next.href = '#' + text; });
};
one.onclick = () => point('one');
two.onclick = () => point('two');`,
    steps: quickly,
  },
];
