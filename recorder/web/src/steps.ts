/**
 * The steps of a test that drives the page. An input belongs to a step (`Input.become`). What a step waits for or
 * looks at is a location, `wait(FILE:LINE:COLUMN)`: it is evaluated at the end of every event that may have changed it
 * (`conditions.ts`), and written where its value changes. A step that has ended reads it. A step that waited is also
 * ordered after the event that made the condition true (rule TEST-WAIT), unless it was true from the start; and a
 * step that waited for a page to load after that event.
 */
import { step as stepName } from 'interloper-js-recorder/contract.json';
import { apply, define, describe, List, newMap } from 'interloper-js-recorder/natives';
import { word } from 'interloper-js-recorder/text';
import { valueText } from 'interloper-js-recorder/names';
import type { WindowRealm } from './events/window';

/** The conditions of a test. */
export interface TestSettings {
  /** The name of the event by which the isolated world is asked. */
  readonly channel: string;
  /** The names of the conditions. */
  readonly names: readonly string[];
}

/** The kind of the locations. */
const KIND = 'condition';
/** What lines that belong to the test's thread begin with. */
const TEST = '@';

const { parse } = JSON;

export class Steps {
  /** The value of each condition. */
  private readonly values = newMap<string, string>();
  /** The event that made each condition true, if it was false before. */
  private readonly made = newMap<string, string>();
  /** The events of the tasks in which a document was loaded, by type. */
  private readonly loads = newMap<string, List<string>>();
  private loading: List<string> | undefined;
  private answer: readonly unknown[] | undefined;

  constructor(
    private readonly realm: WindowRealm,
    private readonly send: (text: string) => void,
    settings?: TestSettings,
  ) {
    const { global, agent } = realm;
    agent.opened = (id, type, name) => this.opened(id, type, name);
    define(global, stepName, {
      value: (end: string, name: string, kind: string) => this.ended(end, name, kind),
    });
    if (!settings || settings.names.length === 0) return;
    const { channel, names } = settings;
    const ask = realm.method(global.EventTarget.prototype, 'dispatchEvent');
    const detail = realm.getter(global.CustomEvent.prototype, 'detail');
    const { Event } = global;
    const hear = (event: any): void => {
      this.answer = apply(parse, JSON, [detail(event)]) as unknown[];
    };
    realm.started(() => realm.listen(global, `${channel}!`, hear, false));
    agent.watcher = () => {
      this.answer = undefined;
      ask(global, new Event(channel));
      const { answer } = this;
      if (answer) for (let at = 0; at < names.length; at++) this.becomes(names[at]!, describe(answer, at)?.value);
    };
  }

  /** Notes the value of a condition at the end of the running event. */
  private becomes(name: string, value: unknown): void {
    if (value === null || value === undefined) return;
    const text = `${value}`;
    const before = this.values.get(name);
    if (before === text) return;
    this.values.set(name, text);
    const { agent } = this.realm;
    // A condition that is true in the first look at a document has been true from the start. Whoever looks at a text
    // until it is what it is has waited for its last change.
    if (value !== false && before !== undefined) this.made.set(name, agent.event);
    else if (value === false) this.made.delete(name);
    if (before === undefined && value === true) return;
    agent.kind(name, KIND);
    agent.line(`write ${word(name)} value=${word(valueText(text))}`);
  }

  /** Notes an event that begins, if it is part of the task in which the window's document has been loaded. */
  private opened(id: string, type: string, name: string): void {
    if (type === 'load' || type === 'DOMContentLoaded') {
      this.loading = name === type ? new List<string>() : undefined;
      if (this.loading) this.loads.set(type, this.loading);
    } else if (type !== 'listener' && type !== 'microtask') this.loading = undefined;
    this.loading?.add(id);
  }

  /** Sends what a step that has ended has seen: lines of the test's thread. */
  private ended(end: string, name: string, kind: string): void {
    const { agent } = this.realm;
    agent.strays();
    agent.send();
    let lines = '';
    if (kind === 'load') {
      const events = this.loads.get(name);
      for (let at = 0; events && at < events.length; at++) lines += `arc ${events.at(at)} ${end} by=wait\n`;
    } else if (this.values.has(name)) {
      const made = this.made.get(name);
      if (kind === 'wait' && made) lines += `arc ${made} ${end} by=wait\n`;
      lines += `read ${word(name)} value=${word(valueText(this.values.get(name)!))}\n`;
    }
    if (lines !== '') this.send(TEST + lines);
  }
}
