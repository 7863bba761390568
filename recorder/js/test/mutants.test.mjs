// The cases, damaged at random: a program that still parses does the same when rewritten, errors included.
import test from 'node:test';
import assert from 'node:assert/strict';
import { scripts } from './cases.mjs';
import { Realm } from './harness.mjs';
import { Rewriter } from './rewriter.mjs';

const MUTANTS = Number(process.env.INTERLOPER_MUTANTS ?? 200);
// Outcomes that are not compared: runs that end by a time limit or by the depth of the stack.
const LEFT_OUT = /timed out|call stack|Script execution/;

/** A small generator of random numbers that gives the same numbers everywhere. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function mutate(source, below) {
  const tokens = source.match(/\s+|[\w$]+|=>|\?\.|[|&?*]{1,2}=|[^\s\w]/g);
  for (let times = 1 + below(2); times > 0; times--) {
    const at = below(tokens.length);
    const other = tokens[below(tokens.length)];
    switch (below(4)) {
      case 0:
        tokens.splice(at, 1);
        break;
      case 1:
        tokens.splice(at, 0, other);
        break;
      case 2:
        tokens[at] = other;
        break;
      default:
        tokens.splice(at, 0, ['.a', '?.b', '++', 'await ', '=', '[0]', '()', ' in o', 'typeof ', '...'][below(10)]);
    }
  }
  return tokens.join('');
}

async function run(source, code, hooks) {
  const realm = new Realm({ hooks, sources: [source] });
  const outcome = realm.script(code, 'app.js', 400);
  await new Promise((resolve) => setTimeout(resolve, 1));
  return { outcome, log: realm.log };
}

test(`${MUTANTS} damaged programs`, async () => {
  const rewriter = new Rewriter();
  const below = random(7);
  // Cases with promises are left out because they leave rejections behind, and cases with stacks for their columns.
  const sources = Object.values(scripts).filter((source) => !/async|Promise|\.stack/.test(source));
  let compared = 0;
  for (let at = 0; at < MUTANTS; at++) {
    const source = mutate(sources[at % sources.length], below);
    const { code } = await rewriter.rewrite({ source, kind: 'script' });
    if (code === undefined) continue;
    const expected = await run(source, source, false);
    if (LEFT_OUT.test(expected.outcome)) continue;
    const actual = await run(source, code, true);
    // Programs print error messages, which quote the rewritten code.
    if (/__il|intermediate value/.test(actual.outcome + actual.log)) continue;
    compared++;
    assert.deepEqual(actual, expected, source);
  }
  rewriter.close();
  assert.ok(compared > MUTANTS / 4, `${compared} of them compared`);
});
