// Stale answers: the older request may be answered last, and its answer stays.
// A page has a body and a script; `fixed` replaces the script (or the body) by one without the mistake.

const search = '<input id="q"><ul id="results"></ul>';
const show = `function show(items) {
  results.replaceChildren(...items.map((text) => Object.assign(document.createElement('li'), { textContent: text })));
}`;
const tabs = '<button id="one">One</button><button id="two">Two</button><p id="panel"></p>';
const both = 'click #one\nclick #two\nwait 600\n';

export const stale = [
  {
    name: 'stale-search',
    location: /#results\.childList/,
    hint: 'stale-response',
    body: search,
    script: `${show}
q.oninput = () => fetch('/api/list?ms=80&q=' + q.value).then((r) => r.json()).then(show);`,
    fixed: `${show}
let latest = 0;
q.oninput = () => {
  const mine = ++latest;
  fetch('/api/list?ms=80&q=' + q.value).then((r) => r.json()).then((items) => { if (mine === latest) show(items); });
};`,
    steps: 'type #q ab\nwait 500\n',
  },
  {
    name: 'stale-search-abort',
    location: /#results\.childList/,
    hint: 'stale-response',
    body: search,
    script: `${show}
async function find() {
  const answer = await fetch('/api/list?ms=90&q=' + q.value);
  show(await answer.json());
}
q.addEventListener('input', find);`,
    fixed: `${show}
let controller = null;
async function find() {
  if (controller) controller.abort();
  controller = new AbortController();
  try {
    const answer = await fetch('/api/list?ms=90&q=' + q.value, { signal: controller.signal });
    show(await answer.json());
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  }
}
q.addEventListener('input', find);`,
    steps: 'type #q ab\nwait 500\n',
  },
  {
    name: 'stale-model',
    location: /#panel\.(text|childList)/,
    hint: 'stale-response',
    body: tabs,
    script: `let items = [];
function render() { panel.textContent = items.join(', '); }
async function load(name) {
  const answer = await fetch('/api/list?ms=80&q=' + name);
  items = await answer.json();
  render();
}
one.onclick = () => load('one');
two.onclick = () => load('two');`,
    fixed: `let items = [], last = 0;
function render() { panel.textContent = items.join(', '); }
async function load(name) {
  const mine = ++last;
  const answer = await fetch('/api/list?ms=80&q=' + name);
  const loaded = await answer.json();
  if (mine !== last) return;
  items = loaded;
  render();
}
one.onclick = () => load('one');
two.onclick = () => load('two');`,
    steps: both,
  },
  {
    name: 'stale-jquery',
    location: /#panel\.childList/,
    hint: 'stale-response',
    libraries: ['jquery.js'],
    body: tabs,
    script: `$('#one').on('click', function () { $.get('/api/text?ms=500&q=one', function (text) { $('#panel').html(text); }); });
$('#two').on('click', function () { $.get('/api/text?ms=500&q=two', function (text) { $('#panel').html(text); }); });`,
    fixed: `var pending = null;
function open(name) {
  if (pending) pending.abort();
  pending = $.get('/api/text?ms=500&q=' + name, function (text) { $('#panel').html(text); });
}
$('#one').on('click', function () { open('one'); });
$('#two').on('click', function () { open('two'); });`,
    steps: 'click #one\nclick #two\nwait 1400\n',
  },
  {
    name: 'stale-jquery-load',
    location: /#panel\.childList/,
    libraries: ['jquery.js'],
    body: tabs,
    script: `$(function () {
  $('button').on('click', function () { $('#panel').load('/api/text?ms=80&q=' + this.id); });
});`,
    fixed: `$(function () {
  var current = null;
  $('button').on('click', function () {
    var mine = this.id;
    current = mine;
    $.get('/api/text?ms=80&q=' + mine, function (text) { if (current === mine) $('#panel').html(text); });
  });
});`,
    steps: both,
  },
  {
    name: 'stale-long-text',
    location: /#panel\.(text|childList)/,
    hint: 'stale-response',
    body: tabs,
    script: `const open = (name) => fetch('/api/long?ms=80&q=' + name).then((r) => r.text()).then((t) => { panel.textContent = t; });
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    fixed: `let wanted;
const open = (name) => {
  wanted = name;
  return fetch('/api/long?ms=80&q=' + name).then((r) => r.text()).then((t) => { if (wanted === name) panel.textContent = t; });
};
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    steps: both,
  },
  {
    name: 'stale-equal-arrays',
    location: /#results\.childList/,
    body: '<button id="one">One</button><button id="two">Two</button><ul id="results"></ul>',
    script: `${show}
let rows = [];
const load = (name) => fetch('/api/list?ms=80&q=' + name).then((r) => r.json()).then((list) => { rows = list; show(rows); });
one.onclick = () => load('one');
two.onclick = () => load('two');`,
    fixed: `${show}
let rows = [], turn = 0;
const load = (name) => {
  const mine = (turn += 1);
  fetch('/api/list?ms=80&q=' + name).then((r) => r.json()).then((list) => { if (turn !== mine) return; rows = list; show(rows); });
};
one.onclick = () => load('one');
two.onclick = () => load('two');`,
    steps: both,
  },
  {
    name: 'stale-xhr',
    location: /#panel\.(text|childList)/,
    hint: 'stale-response',
    body: tabs,
    script: `function open(name) {
  const request = new XMLHttpRequest();
  request.open('GET', '/api/text?ms=80&q=' + name);
  request.onload = () => { panel.textContent = request.responseText; };
  request.send();
}
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    fixed: `let pending = null;
function open(name) {
  if (pending) pending.abort();
  const request = pending = new XMLHttpRequest();
  request.open('GET', '/api/text?ms=80&q=' + name);
  request.onload = () => { panel.textContent = request.responseText; };
  request.send();
}
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    steps: both,
  },
  {
    name: 'stale-xhr-readystate',
    location: /#panel\.(text|childList)/,
    hint: 'stale-response',
    body: tabs,
    script: `function open(name) {
  var request = new XMLHttpRequest();
  request.onreadystatechange = function () {
    if (request.readyState === 4) panel.innerHTML = request.responseText;
  };
  request.open('GET', '/api/text?ms=80&q=' + name, true);
  request.send(null);
}
one.onclick = function () { open('one'); };
two.onclick = function () { open('two'); };`,
    fixed: `var shown = '';
function open(name) {
  shown = name;
  var request = new XMLHttpRequest();
  request.onreadystatechange = function () {
    if (request.readyState === 4 && shown === name) panel.innerHTML = request.responseText;
  };
  request.open('GET', '/api/text?ms=80&q=' + name, true);
  request.send(null);
}
one.onclick = function () { open('one'); };
two.onclick = function () { open('two'); };`,
    steps: both,
  },
  {
    name: 'stale-options',
    location: /#city\.childList/,
    body: `<select id="country"><option>-</option><option>at</option><option>fr</option></select>
<select id="city"></select>`,
    script: `country.onchange = async () => {
  const cities = await (await fetch('/api/list?ms=80&q=' + country.value)).json();
  city.innerHTML = cities.map((name) => '<option>' + name + '</option>').join('');
};`,
    fixed: `country.onchange = async () => {
  const chosen = country.value;
  const cities = await (await fetch('/api/list?ms=80&q=' + chosen)).json();
  if (country.value !== chosen) return;
  city.innerHTML = cities.map((name) => '<option>' + name + '</option>').join('');
};`,
    steps: 'select #country fr\nwait 500\n',
  },
  {
    name: 'stale-storage',
    location: /localStorage\[profile\]/,
    body: tabs,
    script: `async function choose(name) {
  const answer = await fetch('/api/text?ms=80&q=' + name);
  localStorage.setItem('profile', await answer.text());
}
one.onclick = () => choose('one');
two.onclick = () => choose('two');`,
    fixed: `let last = '';
async function choose(name) {
  last = name;
  const answer = await fetch('/api/text?ms=80&q=' + name);
  const text = await answer.text();
  if (last === name) localStorage.setItem('profile', text);
}
one.onclick = () => choose('one');
two.onclick = () => choose('two');`,
    steps: both,
  },
  {
    name: 'stale-title',
    location: /document\.title/,
    body: tabs,
    script: `const open = (name) => fetch('/api/text?ms=80&q=' + name).then((r) => r.text()).then((t) => { document.title = t; });
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    fixed: `let chain = Promise.resolve();
const open = (name) => {
  chain = chain.then(() => fetch('/api/text?ms=80&q=' + name)).then((r) => r.text()).then((t) => { document.title = t; });
};
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    steps: 'click #one\nclick #two\nwait 900\n',
  },
  {
    name: 'stale-poll',
    location: /#panel\.(text|childList)/,
    body: '<button id="one">Refresh</button><p id="panel"></p>',
    script: `async function refresh(kind) {
  const answer = await fetch('/api/text?ms=80&q=' + kind);
  panel.textContent = await answer.text();
}
setTimeout(() => refresh('poll'), 100);
one.onclick = () => refresh('click');`,
    fixed: `let version = 0;
async function refresh(kind) {
  const mine = ++version;
  const answer = await fetch('/api/text?ms=80&q=' + kind);
  const text = await answer.text();
  if (version === mine) panel.textContent = text;
}
setTimeout(() => refresh('poll'), 100);
one.onclick = () => refresh('click');`,
    steps: 'wait 500\nclick #one\nwait 400\n',
  },
  {
    name: 'stale-image',
    location: /#photo\.src/,
    body: '<button id="one">One</button><button id="two">Two</button><img id="photo" alt="">',
    script: `const open = (name) => fetch('/api/text?ms=80&q=' + name).then((r) => r.text()).then((t) => { photo.src = '/dot.svg?' + t; });
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    fixed: `let latest;
const open = (name) => {
  latest = name;
  fetch('/api/text?ms=80&q=' + name).then((r) => r.text()).then((t) => { if (name === latest) photo.src = '/dot.svg?' + t; });
};
one.onclick = () => open('one');
two.onclick = () => open('two');`,
    steps: both,
  },
];
