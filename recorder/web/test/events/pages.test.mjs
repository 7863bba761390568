// Whole pages, from the browser to the report: the demo shop and its twin, and the pages of
// Figures 1 and 7 of the EventRacer paper.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { close, open, visit } from './page.mjs';
import { interloper, report } from './report.mjs';

const root = new URL('../../../../', import.meta.url).pathname;
let server;
let shop;

before(async () => {
  await open();
  server = spawn('node', [`${root}demo/shop/server.mjs`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout, 'data');
  shop = line.toString().trim();
});
after(async () => {
  server.kill();
  await close();
});

/** The report of a page, recorded as a user of the program would. */
async function record(url, ...args) {
  const out = join(mkdtempSync(join(tmpdir(), 'interloper-')), 'page.ilt');
  const all = ['record', 'web', url, ...args, '--out', out, '--format', 'json', '--fail-on', 'never'];
  all.push('--replay', 'none');
  // starts: own
  const child = spawn(interloper, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  const [status] = await once(child, 'close');
  assert.equal(status, 0);
  return JSON.parse(said);
}

const visitShop = (path) => record(new URL(path, shop).href, '--steps', `${root}demo/shop/visit.steps`);

/** Names and labels of the locations that race uncovered, best first. */
function uncovered({ races }) {
  const open = races.filter(({ covered }) => !covered).toSorted((one, two) => one.rank - two.rank);
  return [...new Set(open.map(({ location }) => location))];
}

const planted = [
  'Window.addToCart', // uninitialised function
  'Object(created at shop.js:2)@1.total', // lost update
  '#total.childList', // what a person sees of it
  '#results.childList', // stale response
  'Window.ordered', // double submit
  '#email.value', // form filled before hydration
  'button#wish.handlers(click)', // late handler
];

test('the shop: each planted race is shown first, and nothing else uncovered; three times the same', async () => {
  const reports = [];
  for (let run = 0; run < 3; run++) reports.push(await visitShop('/'));
  for (const found of reports) {
    assert.deepEqual(uncovered(found).toSorted(), planted.toSorted());
    const late = found.races.find(({ location }) => location === 'button#wish.handlers(click)');
    assert.deepEqual(late.labels, ['uninitialised']);
    const others = found.races.filter((race) => race.covered).map(({ rank }) => rank);
    for (const { covered, hidden, rank } of found.races)
      assert.ok(covered || (!hidden && rank < Math.min(...others)), 'what was planted comes first');
    const covered = found.races.filter((race) => race.covered).map(({ location }) => location);
    assert.deepEqual(
      [...new Set(covered)].toSorted(),
      ['Object(created at shop.js:2)@1.total', 'Window.addToCart'],
      'consequences',
    );
  }
  const prints = reports.map(({ races }) =>
    [...new Set(races.filter(({ covered }) => !covered).map(({ fingerprint }) => fingerprint))].toSorted(),
  );
  assert.deepEqual(prints[1], prints[0]);
  assert.deepEqual(prints[2], prints[0]);
});

test('the twin of the shop has no race', async () => {
  const { races } = await visitShop('/fixed/');
  assert.deepEqual(
    races.map(({ location }) => location),
    [],
  );
});

/** Clicks elements, each click an exploration of its own. */
const explore =
  (...ids) =>
  async (page, evaluate) => {
    for (const id of ids) {
      await evaluate('__il_input("explored")');
      await page.click(`#${id}`);
    }
  };

/** The labels of a race, and whether it is covered. The figures show nothing to a person, which `unseen` says. */
const judged = ({ labels, covered }) => {
  const others = labels.filter((label) => label !== 'unseen');
  return covered ? ['covered', ...others] : others;
};

/** The labels of each race by its location, and what covers it. */
const verdicts = ({ races }) => Object.fromEntries(races.map((race) => [race.location, judged(race)]));

test('Figure 1: f may be missing; init synchronises, and covers y', async () => {
  const page = readFileSync(`${root}tests/pages/figure1.html`, 'utf8');
  const { lines } = await visit({ '/': page }, { act: explore('b1'), input: 'explored' });
  assert.deepEqual(verdicts(report(lines)), {
    'Window.f': ['uninitialised'],
    'Window.init': [],
    'Window.y': ['covered'],
  });
});

test('Figure 7: one race of each kind, between the two clicks, too', async () => {
  const page = readFileSync(`${root}tests/pages/figure7.html`, 'utf8');
  const { lines } = await visit({ '/': page }, { act: explore('b1', 'b2'), input: 'explored' });
  assert.deepEqual(verdicts(report(lines)), {
    'input#b1.handlers(click)': ['late-handler', 'immediate'],
    'Window.f': ['uninitialised'],
    'Window.likeLocal': ['same-value', 'only-local-reads', 'unchanged'],
    'Window.lazy': ['lazy-init'],
  });
});

/** The labels that the races of each location must have, and which are covered: as in the EventRacer paper, and ours. */
const figures = {
  figure1: { 'Window.f': ['uninitialised'], 'Window.init': ['tested-only'], 'Window.y': ['covered'] },
  figure7: {
    'input#b1.handlers(click)': ['late-handler', 'immediate'],
    'Window.f': ['uninitialised'],
    'Window.likeLocal': ['same-value', 'only-local-reads'],
    'Window.lazy': ['lazy-init', 'tested-only'],
  },
};

for (const [name, expected] of Object.entries(figures))
  test(`${name}, explored by the program: the same verdicts in every document`, async () => {
    const page = readFileSync(`${root}tests/pages/${name}.html`, 'utf8');
    const pages = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page));
    pages.listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const url = `http://127.0.0.1:${pages.address().port}/${name}.html`;
    const { races } = await record(url, '--explore', '--time', '30').finally(() => pages.close());
    const found = new Set();
    for (const race of races) {
      const { location } = race;
      const name = location.replace(/@\d+$/, '');
      // Of the races on `likeLocal`, only those with the second write have the label `unchanged`.
      const others = judged(race).filter((label) => label !== 'unchanged');
      assert.deepEqual(others, expected[name], location);
      found.add(name);
    }
    assert.deepEqual([...found].toSorted(), Object.keys(expected).toSorted());
  });

test('near miss: two clicks of a user are in order, and leave only covered races', async () => {
  const page = readFileSync(`${root}tests/pages/figure7.html`, 'utf8');
  const { lines } = await visit(
    { '/': page },
    {
      act: async (tab) => {
        await tab.click('#b1');
        await tab.click('#b2');
      },
    },
  );
  // The first click may come before the script adds its handler. What the handler does is then not ordered with the
  // second click, which only covered races show.
  assert.deepEqual(verdicts(report(lines)), {
    'input#b1.handlers(click)': ['late-handler', 'immediate'],
    'Window.f': ['covered'],
    'Window.likeLocal': ['covered', 'same-value', 'only-local-reads', 'unchanged'],
    'Window.lazy': ['covered', 'lazy-init'],
  });
});
