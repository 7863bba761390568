// `install` defines exactly the hooks that contract.json lists.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Realm } from './harness.mjs';

const contract = JSON.parse(readFileSync(new URL('../contract.json', import.meta.url), 'utf8'));

test('every hook of the contract is defined, under its global, in as many copies', () => {
  const { context, recording } = new Realm({ hooks: true });
  assert.equal(context[contract.global], recording.hooks);
  for (const [name, meaning] of Object.entries(contract.hooks)) {
    assert.ok(name in recording.hooks, name);
    const hook = recording.hooks[name];
    assert.equal(/copies\.$/.test(meaning), name in contract.copies, name);
    if (!(name in contract.copies)) continue;
    const copies = Array.from({ length: contract.copies[name] }, (_, copy) => `a${copy}`);
    assert.deepEqual(Object.keys(hook), copies, name);
  }
});
