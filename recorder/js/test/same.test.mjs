// Rewritten programs do the same as the original ones.
import test from 'node:test';
import assert from 'node:assert/strict';
import { modules, scripts } from './cases.mjs';
import { Realm } from './harness.mjs';
import { Rewriter } from './rewriter.mjs';

const rewriter = new Rewriter();
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

async function run(source, code, options) {
  const realm = new Realm({ sources: [source], ...options });
  const outcome = realm.script(code);
  await settle();
  return { outcome, log: realm.log };
}

for (const [name, source] of Object.entries(scripts)) {
  test(name, async () => {
    const { code, unparsable } = await rewriter.rewrite({ source, kind: 'script' });
    assert.equal(unparsable, undefined);
    const expected = await run(source, source, {});
    assert.match(expected.outcome, /^value/, 'the case itself is sound');
    assert.deepEqual(await run(source, code, { hooks: true }), expected);
    assert.deepEqual(await run(source, code, { hooks: true, evals: true }), expected);
    assert.equal(code.split('\n').length, source.split('\n').length, 'lines stay');
  });
}

for (const [name, files] of Object.entries(modules)) {
  test(name, async () => {
    const rewritten = {};
    for (const [file, source] of Object.entries(files)) {
      const answer = await rewriter.rewrite({ source, kind: 'module', url: file });
      assert.equal(answer.unparsable, undefined);
      rewritten[file] = answer.code;
    }
    const results = [];
    for (const [code, hooks] of [
      [files, false],
      [rewritten, true],
    ]) {
      const realm = new Realm({ hooks });
      const outcome = await realm.module(code['entry.js'], 'entry.js', (file) => code[file]);
      results.push({ outcome, log: realm.log });
    }
    assert.equal(results[0].outcome, 'value undefined', 'the case itself is sound');
    assert.deepEqual(results[1], results[0]);
  });
}

test.after(() => rewriter.close());
