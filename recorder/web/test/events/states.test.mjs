// States that scripts and the user change: of form controls, of the focus, and of titles and names.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { causes, follows, record } from './follow.mjs';
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

test('an element that focuses itself, before the user does', async () => {
  const { list } = await record(
    `${timer}<p><input id="q" autofocus></p><button id="b">b</button>
    <script>onF2(function look() { console.log(document.activeElement.id) })</script>`,
    {
      act: async (page) => {
        await page.waitForFunction(() => document.querySelector(':focus'));
        await f2(page);
        await page.click('#b');
      },
    },
  );
  assert.deepEqual(accesses(list, 'document.activeElement').slice(0, 3), [
    'autofocus input#q: write input#q',
    'timer look: read input#q',
    'blur input#q: write body',
  ]);
  const caused = (type, by) => {
    const found = causes(list.find((event) => event.type === type));
    assert.ok(
      found.some((cause) => cause.startsWith(by)),
      found.join(),
    );
  };
  caused('autofocus', 'target parse');
  caused('blur', 'object autofocus');
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

test('the focus that leaves a frame belongs to the gesture in the page around it', async () => {
  const { list } = await record(
    `<iframe src="/inner.html"></iframe><button id="b">b</button>
    <script>onload = () => document.activeElement; b.onclick = function clicked() {}</script>`,
    {
      files: { '/inner.html': '<!doctype html><input id="i"><script>onblur = () => document.activeElement</script>' },
      act: async (page) => {
        await page.frameLocator('iframe').locator('#i').click();
        await page.waitForTimeout(50);
        await page.click('#b');
        await page.waitForTimeout(50);
      },
    },
  );
  const moves = list.filter(
    ({ type, accesses }) => type === 'focus' && `${accesses}`.includes('write document.active'),
  );
  assert.ok(moves.length >= 2, list.map(({ type, name }) => `${type} ${name}`).join('\n'));
  for (const { name, from } of moves) assert.ok(from?.input, name);
});

test('text that the user types into an EditContext belongs to the gesture', async () => {
  const { list, find, lines } = await record(
    `${timer}<div id="e" tabindex="0" style="height: 40px"></div>
    <script>e.onkeydown = function pressed() {}
    onF2(function edit() {
      const context = new EditContext();
      context.addEventListener('textupdate', function typed({ text }) { console.log(text); typing = text });
      e.editContext = context;
    });
    setTimeout(function other() {}, 1)</script>`,
    {
      act: async (page) => {
        await f2(page);
        await page.focus('#e');
        await page.keyboard.press('a');
        await page.waitForTimeout(50);
      },
    },
  );
  const typed = list.find(({ type }) => type === 'textupdate');
  assert.ok(follows(list, typed, find('timer', 'edit')), 'it follows what made the object');
  assert.ok(follows(list, typed, list.filter(({ type }) => type === 'keydown').at(-1)), 'it follows the key');
  assert.ok(!follows(list, typed, find('timer', 'other')));
  assert.ok(
    lines.some((line) => line.startsWith(`enqueue ${typed.id} input input`)),
    'the user gave it',
  );
});

test('events about a selection follow the script that has selected, or come from the user', async () => {
  const { list, find } = await record(
    `${timer}<p id="p">some text</p><input id="q" value="abc">
    <script>document.addEventListener('selectionchange', function changed() {});
    q.addEventListener('select', function selected() {});
    onF2(function select() { getSelection().setBaseAndExtent(p.firstChild, 0, p.firstChild, 4); q.setSelectionRange(1, 2) })</script>`,
    {
      act: async (page) => {
        await page.click('#p');
        await page.waitForTimeout(100);
        await f2(page);
        await page.dblclick('#p', { position: { x: 5, y: 8 } });
        await page.waitForTimeout(100);
      },
    },
  );
  const select = find('timer', 'select');
  const changes = list.filter(({ type, name }) => type === 'selectionchange' && name === 'document');
  const [users, scripts] = [changes.filter(({ from }) => from?.input), changes.filter(({ from }) => !from)];
  assert.ok(users.length >= 2, 'before and after');
  assert.equal(scripts.length, 1);
  assert.deepEqual(causes(scripts[0]).includes('object timer select'), true);
  for (const user of users) assert.ok(!causes(user).some((cause) => cause.includes('select')));
  const selected = find('select', 'input#q');
  assert.ok(!selected.from && follows(list, selected, select));
});

test('the end of a dialog follows the script that closes it, or comes from the user', async () => {
  const { list, find } = await record(
    `${timer}<dialog id="d">text</dialog><script>
    d.addEventListener('close', function closed() { console.log('closed') });
    setTimeout(function open() { d.showModal() }, 1);
    onF2(function close() { d.close(); setTimeout(function again() { d.showModal() }, 100) })</script>`,
    {
      act: async (page) => {
        await page.waitForTimeout(100);
        await f2(page);
        await page.waitForTimeout(200);
        await page.keyboard.press('Escape');
        await page.waitForTimeout(100);
      },
    },
  );
  const [script, user] = list.filter(({ type }) => type === 'close');
  assert.ok(!script.from && follows(list, script, find('timer', 'close')));
  assert.ok(user.from.input && !follows(list, user, find('timer', 'close')));
});
