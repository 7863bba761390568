// The steps of a test that drives a page: whose inputs are whose, and what steps wait for and look at.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { close, open, visit } from './page.mjs';

before(open);
after(close);

/** A condition of a test, as the recorder passes it on. */
const condition = (name, api, params) => ({ name, api, params });

test('an input belongs to the step that gives it', async () => {
  const { lines } = await visit(
    { '/': '<button id="b">b</button><script>b.onclick = () => {}; window.done = true</script>' },
    {
      input: 'scripted',
      act: async (page, evaluate) => {
        await evaluate("__il_input('scripted', 't7')");
        await page.click('#b');
      },
    },
  );
  const click = lines.find((line) => /^begin \S+ type=click /.test(line))?.split(' ')[1];
  assert.ok(click && lines.includes(`arc t7 ${click} by=step`), lines.join('\n'));
});

test('a condition is written where it changes, and a wait follows the event that made it true', async () => {
  const { lines } = await visit(
    {
      '/': `<p id="p" hidden>here</p><ul id="l"></ul><script>
        setTimeout(function show() { p.hidden = false }, 30);
        setTimeout(function fill() { l.innerHTML = '<li>1<li>2'; window.done = true }, 60);
      </script>`,
    },
    {
      conditions: [
        condition('wait(a:1:1)', 'Frame.expect', { selector: '#p', expression: 'to.be.visible' }),
        condition('wait(a:2:1)', 'Frame.queryCount', { selector: '#l li' }),
        condition('wait(a:3:1)', 'Frame.expect', { selector: '#l', expression: 'to.be.visible', isNot: true }),
        condition('wait(a:4:1)', 'Frame.expect', { selector: 'ul', expression: 'to.be.attached' }),
      ],
      act: async (page, evaluate) => {
        await page.waitForTimeout(300);
        await evaluate("__il_step('t1e', 'wait(a:1:1)', 'wait')");
        await evaluate("__il_step('t2e', 'wait(a:2:1)', 'look')");
        await evaluate("__il_step('t3e', 'wait(a:2:1)', 'wait')");
        await evaluate("__il_step('t4e', 'wait(a:4:1)', 'wait')");
        await evaluate("__il_step('t5e', 'load', 'load')");
        await evaluate("__il_step('t6e', 'wait(unknown)', 'wait')");
      },
    },
  );
  const timers = lines.filter((line) => /^begin \S+ type=timer /.test(line)).map((line) => line.split(' ')[1]);
  const load = lines.find((line) => /^begin \S+ type=load name=load/.test(line)).split(' ')[1];
  const [show, fill] = timers;
  const inside = (event, text) => {
    const begin = lines.findIndex((line) => line.startsWith(`begin ${event} `));
    const end = lines.findIndex((line) => line.startsWith(`end ${event}`));
    return lines.slice(begin, end).some((line) => line.startsWith(text));
  };
  assert.ok(inside(show, 'write wait(a:1:1)') && inside(fill, 'write wait(a:2:1)'), lines.join('\n'));
  const sent = lines.filter((line) => line.includes('t1e') || line.includes('t2e') || line.includes('t4e'));
  assert.ok(
    sent.some((line) => line.endsWith(`arc ${show} t1e by=wait`)),
    sent.join('\n'),
  );
  assert.ok(!sent.some((line) => line.includes('t2e')), 'a single look follows nothing');
  assert.ok(
    lines.some((line) => line.endsWith(`arc ${fill} t3e by=wait`)),
    'a poll follows the last change',
  );
  assert.ok(!sent.some((line) => line.includes('t4e')), 'what is true from the start follows nothing');
  assert.ok(
    lines.some((line) => line.endsWith(`arc ${load} t5e by=wait`)),
    lines.join('\n'),
  );
  assert.ok(!lines.some((line) => line.includes('wait(unknown)')));
});
