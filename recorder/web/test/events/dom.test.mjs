// Locations in the document.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { record } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

/** The accesses of the timer `act`. */
async function acts(body, code, options) {
  const { find } = await record(
    `${body}<script>setTimeout(function act() {
${code}
done = true }, 1)</script>`,
    options,
  );
  return find('timer', 'act').accesses.filter((access) => !/Timer|Window\.done/.test(access));
}

test('child lists', async () => {
  const accesses = await acts(
    '<ul id="list"><li>one</li></ul><p id="note"></p>',
    `const list = document.getElementById('list');
    list.append(document.createElement('li')); list.lastChild.textContent = 'two';
    document.querySelector('#note').innerHTML = '<b id="inner">x</b>';
    console.log(list.children.length, note.textContent)`,
  );
  assert.deepEqual(accesses.toSorted(), [
    'read #list.childList 2 one',
    'read #note.childList 1 x',
    'read document.getElementById(list) ul#list',
    'read document.getElementById(note) p#note',
    'write #list.childList 2 onetwo',
    'write #note.childList 1 x',
    'write document.getElementById(inner) b#inner',
  ]);
});

test('an element made in the event has no recorded accesses', async () => {
  const accesses = await acts(
    '<div id="box"></div>',
    `const p = document.createElement('p'); p.className = 'x'; p.textContent = 'text'; p.setAttribute('title', 't');
    p.addEventListener('click', () => {}); console.log(p.className, p.textContent)`,
  );
  assert.deepEqual(accesses, []);
});

test('attributes, classes and styles', async () => {
  const accesses = await acts(
    '<button id="b" class="old">b</button>',
    `const b = document.getElementById('b'); b.disabled = true; b.classList.add('new'); b.style.color = 'red';
    console.log(b.getAttribute('class'), b.disabled, b.className, b.hasAttribute('data-x')); b.dataset.x = 1; b.id = 'c'`,
  );
  assert.deepEqual(accesses.toSorted(), [
    'read #b.className "old new"',
    'read #b.data-x false',
    'read #b.disabled true',
    'read document.getElementById(b) button#b',
    'write #b.className "old new"',
    'write #b.data-x "1"',
    'write #b.disabled ""',
    'write #b.id "c"',
    'write #b.style "color: red;"',
    'write document.getElementById(c) button#b',
  ]);
});

test('form values: scripts and users write them', async () => {
  const { find } = await record(
    '<input id="q" value="old"><script>setTimeout(function act() { const q = document.getElementById("q"); console.log(q.value); q.value = "new" }, 1)</script>',
    {
      act: async (page) => {
        await page.waitForTimeout(50);
        await page.focus('#q');
        await page.keyboard.type('X');
      },
    },
  );
  assert.ok(find('parse', 'input#q').accesses.includes('write #q.value "old"'));
  assert.deepEqual(find('timer', 'act').accesses.slice(-2), ['read #q.value "old"', 'write #q.value "new"']);
  assert.ok(find('input', 'input#q').accesses.some((access) => /^write #q\.value "(newX|Xnew)"/.test(access)));
});
