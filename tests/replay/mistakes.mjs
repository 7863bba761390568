// Mistakes of widgets that people write every day, each with a repaired twin. The pages of tests/worth have other kinds.
// A page is served as those are: `script`, or `fixed` in the twin.

const twoTabs = '<button id="one">One</button><button id="two">Two</button>';
const apart = 'click #one\nwait 400\nclick #two\nwait 400\n';

export const mistakes = [
  {
    name: 'debounced-search-cleared',
    location: /#results\.(text|childList)/,
    body: '<input id="q"><button id="clear">Clear</button><p id="results"></p>',
    script: `let timer;
q.oninput = () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    fetch('/api/text?ms=40&q=' + q.value).then((r) => r.text()).then((text) => { results.textContent = text; });
  }, 120);
};
clear.onclick = () => { q.value = ''; results.textContent = ''; };`,
    fixed: `let timer, version = 0;
q.oninput = () => {
  clearTimeout(timer);
  const mine = ++version;
  timer = setTimeout(() => {
    fetch('/api/text?ms=40&q=' + q.value).then((r) => r.text()).then((text) => { if (mine === version) results.textContent = text; });
  }, 120);
};
clear.onclick = () => { clearTimeout(timer); version++; q.value = ''; results.textContent = ''; };`,
    steps: 'type #q a\nwait 600\nclick #clear\nwait 300\n',
  },
  {
    name: 'optimistic-rename-fails-late',
    location: /#title\.(text|childList)/,
    body: '<h1 id="title">old</h1><input id="field"><button id="save">Save</button>',
    script: `let count = 0;
save.onclick = async () => {
  title.textContent = field.value;
  const answer = await fetch(count++ ? '/api/text?ms=60&q=ok' : '/nothing?ms=60', { method: 'POST' });
  if (!answer.ok) title.textContent = 'old';
};`,
    fixed: `let count = 0, version = 0;
save.onclick = async () => {
  const mine = ++version;
  title.textContent = field.value;
  const answer = await fetch(count++ ? '/api/text?ms=60&q=ok' : '/nothing?ms=60', { method: 'POST' });
  if (!answer.ok && mine === version) title.textContent = 'old';
};`,
    steps: 'type #field a\nclick #save\nwait 400\ntype #field b\nclick #save\nwait 400\n',
  },
  {
    name: 'tab-switched-while-loading',
    location: /#(a|b)\.hidden/,
    body: `${twoTabs}<div id="a" hidden></div><div id="b" hidden></div>`,
    script: `const open = (panel, other) => {
  other.hidden = true;
  fetch('/api/text?ms=60&q=' + panel.id).then((r) => r.text()).then((text) => { panel.textContent = text; panel.hidden = false; });
};
one.onclick = () => open(a, b);
two.onclick = () => open(b, a);`,
    fixed: `let current;
const open = (panel, other) => {
  current = panel;
  other.hidden = true;
  fetch('/api/text?ms=60&q=' + panel.id).then((r) => r.text()).then((text) => { panel.textContent = text; panel.hidden = panel !== current; });
};
one.onclick = () => open(a, b);
two.onclick = () => open(b, a);`,
    steps: apart,
  },
  {
    name: 'infinite-scroll-and-filter',
    location: /#rows\.childList/,
    body: `${twoTabs}<ul id="rows"></ul>`,
    script: `const add = (items) => { for (const item of items) { const li = document.createElement('li'); li.textContent = item; rows.append(li); } };
one.onclick = () => fetch('/api/list?ms=60&q=next').then((r) => r.json()).then(add);
two.onclick = () => { rows.replaceChildren(); add(['filtered']); };`,
    fixed: `let version = 0;
const add = (items) => { for (const item of items) { const li = document.createElement('li'); li.textContent = item; rows.append(li); } };
one.onclick = () => { const mine = version; fetch('/api/list?ms=60&q=next').then((r) => r.json()).then((items) => { if (mine === version) add(items); }); };
two.onclick = () => { version++; rows.replaceChildren(); add(['filtered']); };`,
    steps: apart,
  },
  {
    name: 'two-widgets-one-key',
    location: /[sS]torage/,
    body: `${twoTabs}<p id="shown"></p>`,
    script: `const keep = async (key) => {
  const settings = JSON.parse(localStorage.getItem('settings') ?? '{}');
  settings[key] = await (await fetch('/api/text?ms=60&q=' + key)).text();
  localStorage.setItem('settings', JSON.stringify(settings));
};
one.onclick = () => keep('colour');
two.onclick = () => keep('size');`,
    fixed: `const keep = async (key) => {
  const text = await (await fetch('/api/text?ms=60&q=' + key)).text();
  const settings = JSON.parse(localStorage.getItem('settings') ?? '{}');
  settings[key] = text;
  const sorted = Object.fromEntries(Object.entries(settings).sort());
  localStorage.setItem('settings', JSON.stringify(sorted));
};
one.onclick = () => keep('colour');
two.onclick = () => keep('size');`,
    steps: apart,
  },
  {
    name: 'socket-before-subscription',
    location: /WebSocket.*(handlers|onmessage)|#news/,
    body: '<p id="news"></p>',
    script: `const socket = new WebSocket('ws://' + location.host + '/chat?ms=350');
fetch('/api/text?ms=40&q=config').then((r) => r.text()).then(() => {
  socket.onmessage = (event) => { news.textContent = event.data; };
});`,
    fixed: `const socket = new WebSocket('ws://' + location.host + '/chat?ms=350');
const config = fetch('/api/text?ms=40&q=config').then((r) => r.text());
socket.onmessage = (event) => config.then(() => { news.textContent = event.data; });`,
    steps: 'wait 900\n',
  },
  {
    name: 'frame-message-before-listener',
    location: /handlers\(message\)|#height/,
    body: '<p id="height"></p><iframe src="/frame/inner?ms=250"></iframe>',
    frames: { inner: "<script>parent.postMessage('240', '*');</script>" },
    script: `fetch('/api/text?ms=40&q=config').then((r) => r.text()).then(() => {
  addEventListener('message', (event) => { height.textContent = event.data; });
});`,
    fixed: '',
    fixedBody: `<p id="height"></p><script>
const config = fetch('/api/text?ms=40&q=config').then((r) => r.text());
addEventListener('message', (event) => config.then(() => { height.textContent = event.data; }));
</script><iframe src="/frame/inner?ms=250"></iframe>`,
    steps: 'wait 800\n',
  },
  {
    name: 'lazy-module-and-click',
    location: /editor/,
    body: '<button id="go">Edit</button><p id="state"></p>',
    own: 'export const open = (state) => { state.textContent = "open"; };',
    script: `let editor;
import('/delay/80/own.js').then((module) => { editor = module; });
go.onclick = () => editor.open(state);`,
    fixed: `const editor = import('/delay/80/own.js');
go.onclick = () => editor.then((module) => module.open(state));`,
    steps: 'wait 500\nclick #go\nwait 300\n',
  },
  {
    name: 'autosave-and-submit',
    location: /[sS]torage|#note\.value/,
    body: '<textarea id="note"></textarea><button id="send">Send</button>',
    script: `let timer;
note.oninput = () => { clearTimeout(timer); timer = setTimeout(() => localStorage.setItem('draft', note.value), 250); };
send.onclick = () => { fetch('/api/text?ms=40&q=sent', { method: 'POST' }); localStorage.removeItem('draft'); };`,
    fixed: `let timer;
note.oninput = () => { clearTimeout(timer); timer = setTimeout(() => localStorage.setItem('draft', note.value), 250); };
send.onclick = () => { clearTimeout(timer); fetch('/api/text?ms=40&q=sent', { method: 'POST' }); localStorage.removeItem('draft'); };`,
    steps: 'type #note a\nwait 700\nclick #send\nwait 300\n',
  },
  {
    name: 'size-of-image',
    location: /width|size/,
    body: '<img id="photo"><button id="fit">Fit</button><p id="state"></p>',
    script: `let size = 0;
photo.onload = () => { size = photo.naturalWidth; };
photo.src = '/dot.svg?ms=80';
fit.onclick = () => { state.textContent = 'one of ' + 80 / size; };`,
    fixed: `const loaded = new Promise((done) => { photo.onload = () => done(photo.naturalWidth); });
photo.src = '/dot.svg?ms=80';
fit.onclick = () => loaded.then((size) => { state.textContent = 'one of ' + 80 / size; });`,
    steps: 'wait 500\nclick #fit\nwait 300\n',
  },
];
