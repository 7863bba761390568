// Queries on recorded events, for tests.
import assert from 'node:assert/strict';
import { events, visit } from './page.mjs';

/**
 * Visits a page with and without the recorder, and returns the recorded events. Both visits must log the same lines in
 * the same order; a page whose events log in an order that nothing guarantees is `unordered`, and its lines are sorted.
 */
export async function record(body, { files = {}, act, input, unordered = false } = {}) {
  const pages = { '/': `<!doctype html><html><head></head><body>${body}</body></html>`, ...files };
  const plain = await visit(pages, { recorded: false, act, input });
  const recorded = await visit(pages, { act, input });
  const seen = ({ log }) => (unordered ? log.toSorted() : log);
  assert.deepEqual(seen(recorded), seen(plain), 'the page saw something else');
  const list = events(recorded.lines);
  return { list, lines: recorded.lines, log: plain.log, find: (type, name) => find(list, type, name) };
}

function find(list, type, name) {
  const found = list.filter((event) => event.type === type && (name === undefined || event.name === name));
  assert.equal(
    found.length,
    1,
    `${found.length} events ${type} ${name ?? ''}: ${list.map((e) => `${e.type} ${e.name}`)}`,
  );
  return found[0];
}

/** The types of events that are parts of tasks. */
const PARTS = ['microtask', 'listener', 'module'];

/** Whether one event is ordered after another: by a post, an arc, or within its task. */
export function follows(list, later, earlier) {
  const seen = new Set();
  const visit = (event) => {
    if (!event || seen.has(event)) return false;
    seen.add(event);
    if (event === earlier) return true;
    const at = list.indexOf(event);
    const part = PARTS.includes(event.type) && list[at - 1];
    return [part, event.from?.by, event.registrar, ...event.after.map((arc) => arc.event)].some(visit);
  };
  return visit(later);
}

export const causes = (event) => event.after.map(({ event, by }) => `${by} ${event.type} ${event.name}`);

/** The task that an event is part of. */
export function taskOf(list, event) {
  let at = list.indexOf(event);
  while (PARTS.includes(list[at].type)) at--;
  return list[at];
}
