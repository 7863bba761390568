// The same order is sent twice, and updates that are lost over a wait.

const order = '<button id="buy">Buy</button><p id="status"></p>';
const twice = 'click #buy\nclick #buy\nwait 600\n';

export const updates = [
  {
    name: 'double-submit',
    location: /#status\.(text|childList)|#buy\.disabled/,
    hint: 'double-submit',
    body: order,
    script: `buy.onclick = async () => {
  const answer = await fetch('/api/count?ms=600', { method: 'POST' });
  document.getElementById('status').textContent = 'Order ' + await answer.text();
  buy.disabled = true;
};`,
    fixed: `buy.onclick = async () => {
  buy.disabled = true;
  const answer = await fetch('/api/count?ms=600', { method: 'POST' });
  document.getElementById('status').textContent = 'Order ' + await answer.text();
};`,
    steps: 'click #buy\nclick #buy\nwait 1500\n',
    fixedSteps: 'click #buy\nwait 1200\n',
  },
  {
    name: 'double-submit-form',
    location: /#status\.(text|childList)/,
    hint: 'double-submit',
    body: '<form id="f"><button id="buy">Buy</button></form><p id="status"></p>',
    script: `f.addEventListener('submit', (event) => {
  event.preventDefault();
  fetch('/api/count?ms=80', { method: 'POST' }).then((r) => r.text()).then((t) => { document.getElementById('status').textContent = t; });
});`,
    fixed: `let busy = false;
f.addEventListener('submit', (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  fetch('/api/count?ms=80', { method: 'POST' }).then((r) => r.text()).then((t) => { document.getElementById('status').textContent = t; busy = false; });
});`,
    steps: twice,
    immediate: true,
  },
  {
    name: 'double-submit-xhr',
    location: /#status\.(text|childList)/,
    hint: 'double-submit',
    body: order,
    script: `buy.onclick = function () {
  var request = new XMLHttpRequest();
  request.open('POST', '/api/count?ms=80');
  request.onload = function () { document.getElementById('status').innerHTML = request.responseText; };
  request.send();
};`,
    fixed: `var sending = false;
buy.onclick = function () {
  if (sending) return;
  sending = true;
  var request = new XMLHttpRequest();
  request.open('POST', '/api/count?ms=80');
  request.onload = function () { sending = false; document.getElementById('status').innerHTML = request.responseText; };
  request.send();
};`,
    steps: twice,
  },
  {
    name: 'double-submit-jquery',
    location: /#status\.(text|childList)/,
    libraries: ['jquery.js'],
    body: order,
    script: `$('#buy').click(function () { $.post('/api/count?ms=300', function (text) { $('#status').text(text); }); });`,
    fixed: `$('#buy').click(function () {
  var button = $(this).prop('disabled', true);
  $.post('/api/count?ms=300', function (text) { $('#status').text(text); });
});`,
    steps: 'click #buy\nclick #buy\nwait 1000\n',
    fixedSteps: 'click #buy\nwait 800\n',
  },
  {
    name: 'lost-update-count',
    location: /count/,
    hint: 'lost-update',
    body: '<button id="buy">Add</button>',
    script: `let count = 0;
buy.onclick = async () => {
  const before = count;
  await fetch('/api/text?ms=80&q=x');
  count = before + 1;
};`,
    fixed: `let count = 0;
buy.onclick = async () => {
  await fetch('/api/text?ms=80&q=x');
  count += 1;
};`,
    steps: twice,
  },
  {
    name: 'lost-update-storage',
    location: /localStorage\[cart\]/,
    hint: 'lost-update',
    body: '<button id="buy">Add</button>',
    script: `buy.onclick = async () => {
  const cart = JSON.parse(localStorage.getItem('cart') || '[]');
  const answer = await fetch('/api/count?ms=80', { method: 'POST' });
  cart.push(await answer.text());
  localStorage.setItem('cart', JSON.stringify(cart));
};`,
    fixed: `let chain = Promise.resolve();
async function add() {
  const cart = JSON.parse(localStorage.getItem('cart') || '[]');
  const answer = await fetch('/api/count?ms=80', { method: 'POST' });
  cart.push(await answer.text());
  localStorage.setItem('cart', JSON.stringify(cart));
}
buy.onclick = () => { chain = chain.then(add); };`,
    steps: 'click #buy\nclick #buy\nwait 900\n',
  },
  {
    name: 'lost-update-total',
    location: /total/,
    hint: 'lost-update',
    body: '<button id="buy">Add</button>',
    script: `let total = 0;
async function price() { return Number(await (await fetch('/api/count?ms=80', { method: 'POST' })).text()); }
buy.onclick = async () => { total = total + await price(); };`,
    fixed: `let total = 0;
async function price() { return Number(await (await fetch('/api/count?ms=80', { method: 'POST' })).text()); }
buy.onclick = async () => { const added = await price(); total = total + added; };`,
    steps: twice,
  },
  {
    name: 'lost-update-list',
    location: /list/,
    hint: 'lost-update',
    body: '<button id="buy">Add</button>',
    script: `let list = [];
buy.onclick = () => {
  const old = list;
  fetch('/api/count?ms=80', { method: 'POST' }).then((r) => r.text()).then((text) => { list = [...old, text]; });
};`,
    fixed: `let list = [], adding = false;
buy.onclick = () => {
  if (adding) return;
  adding = true;
  fetch('/api/count?ms=80', { method: 'POST' }).then((r) => r.text()).then((text) => { list = [...list, text]; adding = false; });
};`,
    steps: twice,
  },
];
