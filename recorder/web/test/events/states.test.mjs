// States that scripts and the user change: of form controls, of the focus, and of titles and names.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { causes, record } from './follow.mjs';
import { close, open } from './page.mjs';

before(open);
after(close);

/** A page runs the timer that it gives to `onF2` when the user presses F2. */
const timer = `<script>function onF2(callback) { addEventListener('keyup', ({ key }) => { if (key === 'F2') setTimeout(callback, 1) }) }</script>`;
const f2 = async (page) => {
  await page.keyboard.press('F2');
  await page.waitForTimeout(200);
};

/** The accesses of a location by event: `click #agree: write true`. */
const accesses = (list, location) =>
  list.flatMap(({ type, name, accesses }) =>
    accesses
      .filter((access) => access.split(' ')[1] === location)
      .map((access) => `${type} ${name}: ${access.split(' ')[0]} ${access.split(' ').slice(2).join(' ')}`),
  );

test('the user and scripts check a box', async () => {
  const { list } = await record(
    `${timer}<label>agree <input type="checkbox" id="agree"></label>
    <script>agree.onclick = function clicked() { console.log(agree.checked) }; agree.onchange = () => {}
    onF2(function late() { agree.checked = true; agree.click() })</script>`,
    {
      act: async (page) => {
        await page.click('#agree');
        await page.keyboard.press('Space');
        await page.click('label', { position: { x: 2, y: 5 } });
        await f2(page);
      },
    },
  );
  assert.deepEqual(accesses(list, '#agree.checked'), [
    'parse input#agree: write false',
    'click input#agree: write true',
    'listener clicked: read true',
    'click input#agree: write false',
    'listener clicked: read false',
    'click input#agree: write true',
    'listener clicked: read true',
    'timer late: write false',
    'timer late: read false',
  ]);
  assert.deepEqual(accesses(list, '#agree.value'), ['parse input#agree: write "on"'], 'its value does not change');
});

test('checking a radio button unchecks another', async () => {
  const { list } = await record(
    `${timer}<input type="radio" name="r" id="one" checked><input type="radio" name="r" id="two"><input type="radio" name="s" id="other" checked>
    <script>onF2(function late() { one.checked = true })</script>`,
    {
      act: async (page) => {
        await page.click('#two');
        await f2(page);
      },
    },
  );
  const writes = (id) => accesses(list, `#${id}.checked`).filter((text) => !text.startsWith('parse'));
  assert.deepEqual(writes('two'), ['click input#two: write true', 'timer late: write false']);
  assert.deepEqual(writes('one'), ['click input#two: write false', 'timer late: write true']);
  assert.deepEqual(writes('other'), []);
});

test('choosing an option clears another', async () => {
  const { list } = await record(
    `${timer}<select id="s"><option id="a" selected>a<option id="b">b<option id="c">c</select>
    <script>s.onchange = function chosen() { console.log(s.value, b.selected) }
    onF2(function late() { s.value = 'c' })</script>`,
    {
      act: async (page) => {
        await page.focus('#s');
        await page.keyboard.press('ArrowDown');
        await f2(page);
      },
    },
  );
  assert.deepEqual(accesses(list, '#b.selected'), [
    'input select#s: write true',
    'listener chosen: read true',
    'timer late: write false',
  ]);
  assert.deepEqual(accesses(list, '#a.selected'), ['input select#s: write false']);
  assert.deepEqual(accesses(list, '#c.selected'), ['timer late: write true']);
  assert.ok(accesses(list, '#s.value').includes('timer late: write "c"'));
});

test('a reset writes the controls of a form', async () => {
  const { list } = await record(
    `${timer}<form id="f"><input id="q" value="x"><input type="checkbox" id="box"></form>
    <script>setTimeout(() => { q.value = 'y'; box.checked = true }, 1);
    setTimeout(function clear() { f.reset(); done = true }, 20)</script>`,
  );
  assert.ok(accesses(list, '#q.value').includes('timer clear: write "x"'));
  assert.ok(accesses(list, '#box.checked').includes('timer clear: write false'));
});

test('the focus is written by the user and by scripts, and read by scripts', async () => {
  const { list } = await record(
    `${timer}<input id="one"><input id="two"><button id="b">b</button><p id="gone" tabindex="0">x</p>
    <script>one.onfocus = function focused() { console.log(document.activeElement.id) };
    onF2(function late() { two.focus(); console.log(document.activeElement.id); two.blur(); gone.focus(); gone.remove() })</script>`,
    {
      act: async (page) => {
        await page.click('#one');
        await page.keyboard.press('Tab');
        await f2(page);
      },
    },
  );
  const found = accesses(list, 'document.activeElement');
  assert.deepEqual(found.slice(0, 4), [
    'focus input#one: write input#one',
    'listener focused: read input#one',
    'blur input#one: write body',
    'focus input#two: write input#two',
  ]);
  const late = found.filter((text) => text.startsWith('timer late'));
  assert.deepEqual(late.toSorted(), ['timer late: read input#two', 'timer late: write body']);
});

test('an element that focuses itself', async () => {
  const { list } = await record(
    `${timer}<p><input id="q" autofocus></p><script>setTimeout(function late() { console.log(document.activeElement.id); done = true }, 300)</script>`,
  );
  assert.deepEqual(accesses(list, 'document.activeElement'), [
    'focus input#q: write input#q',
    'timer late: read input#q',
  ]);
  const focus = list.find(({ type }) => type === 'focus');
  assert.ok(
    causes(focus).some((cause) => cause.startsWith('target parse')),
    causes(focus),
  );
});

test('titles and names', async () => {
  const { list } = await record(
    `${timer}<script>setTimeout(function first() { document.title = 'one'; name = 'n'; window.status = 's' }, 1);
    setTimeout(function second() { console.log(document.title, window.name, status); document.querySelector('title').textContent = 'two' }, 20);
    setTimeout(function third() { console.log(document.title); done = true }, 40)</script>`,
  );
  assert.deepEqual(accesses(list, 'document.title'), [
    'timer first: write "one"',
    'timer second: read "one"',
    'timer second: write "two"',
    'timer third: read "two"',
  ]);
  assert.deepEqual(accesses(list, 'window.name'), ['timer first: write "n"', 'timer second: read "n"']);
  assert.deepEqual(accesses(list, 'window.status'), ['timer first: write "s"', 'timer second: read "s"']);
});
