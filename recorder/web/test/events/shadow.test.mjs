// Shadow trees, detached trees and custom elements.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { causes, follows, record } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

test('changes of a shadow tree are recorded under the name of its host', async () => {
  const { list, find } = await record(
    `<div id="host"></div><p id="in"></p><script>
    const root = document.getElementById('host').attachShadow({ mode: 'closed' });
    setTimeout(function fill() { const p = document.createElement('p'); p.id = 'in'; root.append(p); console.log(root.getElementById('in') === p, document.getElementById('in') === p) }, 5);
    setTimeout(function change() { const p = root.querySelector('#in'); p.className = 'x'; p.textContent = 'text'; console.log(root.childNodes.length); done = true }, 40);
  </script>`,
  );
  const fill = find('timer', 'fill').accesses;
  assert.ok(
    fill.some((access) => access.startsWith('write #host.shadowRoot.childList')),
    fill.join('\n'),
  );
  assert.ok(fill.includes('write #host.shadowRoot.getElementById(in) #host/#in'), fill.join('\n'));
  assert.ok(!fill.some((access) => access.startsWith('write document.getElementById(in)')), 'not in the document');
  const change = find('timer', 'change').accesses;
  assert.ok(
    change.some((access) => access.startsWith('read #host.shadowRoot.getElementById(in)')),
    change.join('\n'),
  );
  assert.ok(
    change.some((access) => access.startsWith('write #host/#in.className "x"')),
    change.join('\n'),
  );
  assert.ok(
    change.some((access) => access.startsWith('write #host/#in.childList')),
    change.join('\n'),
  );
  assert.ok(list.length > 0);
});

test('changes of a detached tree are recorded, except by the event that made it', async () => {
  const { find } = await record(
    `<p id="p"></p><script>
    let list;
    setTimeout(function make() { list = document.createElement('ul'); list.append(document.createElement('li')) }, 1);
    setTimeout(function add() { const item = document.createElement('li'); item.id = 'p'; list.append(item); list.className = 'full' }, 30);
    setTimeout(function drop() { list.replaceChildren(); console.log(list.className, document.getElementById('p').localName); done = true }, 60);
  </script>`,
  );
  const changes = (name) => find('timer', name).accesses.filter((access) => /^write (ul|document)/.test(access));
  assert.deepEqual(changes('make'), []);
  assert.equal(changes('add').length, 2, changes('add').join('\n'));
  assert.ok(changes('add').some((access) => /^write ul\(created at index.html:3\)\S*\.childList/.test(access)));
  assert.equal(changes('drop').length, 1, changes('drop').join('\n'));
});

test('the reactions of custom elements belong to what causes them; the parser causes parse events', async () => {
  const { list, find } = await record(
    `<script>
    var made = 0, connected = '';
    class Own extends HTMLElement { constructor() { super(); made++ } connectedCallback() { connected += this.id; console.log('connected', this.id, this instanceof Own, this instanceof HTMLElement) } static observedAttributes = ['on']; attributeChangedCallback(name) { console.log(name) } }
    customElements.define('own-one', Own);
    class Other extends Own {}
    customElements.define('own-two', Other);
    console.log(Object.keys(Object.getOwnPropertyDescriptors(Own.prototype)).join(), Own.name, String(Own.prototype.connectedCallback).length);
    </script><own-one id="a" on="1"></own-one><own-two id="b"></own-two>
    <script>setTimeout(function insert() { const c = document.createElement('own-one'); c.id = 'c'; document.body.append(c); done = true }, 10)</script>`,
  );
  assert.deepEqual(
    list.filter(({ type }) => type === 'unknown'),
    [],
  );
  const writers = list.filter(({ accesses }) => accesses.some((access) => /^write Window.connected ".+"/.test(access)));
  assert.deepEqual(
    writers.map(({ type }) => type),
    ['parse', 'parse', 'timer'],
  );
  const [first, last] = list.filter(({ type }) => type === 'script');
  assert.ok(
    follows(list, writers[0], first) && follows(list, writers[1], writers[0]) && follows(list, last, writers[1]),
  );
  assert.ok(causes(writers[0]).every((cause) => cause.startsWith('parser')));
  assert.equal(writers[2], find('timer', 'insert'));
});

test('pageshow comes after load', async () => {
  const { list, find } = await record(
    `<script>addEventListener('pageshow', function shown(event) { console.log(event.persisted); done = true })</script>`,
  );
  assert.ok(follows(list, find('pageshow'), find('load', 'load')));
});
