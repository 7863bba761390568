/**
 * The part of the recorder that runs in the page. `start` installs the hooks and the sources of events,
 * before any script of the page runs (docs/recording-web-runtime.md).
 */
import {
  flush,
  global as hooksName,
  input as inputName,
  pending,
  reserved,
} from 'interloper-js-recorder/contract.json';
import { install, type Wire } from 'interloper-js-recorder/access';
import { learnPlatform } from 'interloper-js-recorder/names';
import { apply, define, describe, getPrototypeOf } from 'interloper-js-recorder/natives';
import type { AccessRecorder } from 'interloper-js-recorder/recorder';
import { Agent, type Platform } from 'interloper-js-recorder/agent';
import { patchIteration } from 'interloper-js-recorder/iteration';
import { Modules } from 'interloper-js-recorder/modules';
import { Promises } from 'interloper-js-recorder/promises';
import { patchTimers } from 'interloper-js-recorder/timers';
import { leaveQuiet } from './quiet';
import { watchAnimations } from './events/animations';
import { Changes } from './events/changes';
import { type Answering, PageCode } from './events/code';
import { Controls } from './events/controls';
import { patchCustomElements } from './events/custom';
import { patchDatabases } from './events/databases';
import { delays } from './events/delays';
import { Dispatches } from './events/dispatch';
import { Documents } from './events/documents';
import { Elements } from './events/elements';
import { Tree } from './events/dom';
import { Focus } from './events/focus';
import { patchFrames } from './events/frames';
import { Input, type InputMode } from './events/input';
import { patchLabels } from './events/labels';
import { patchListeners } from './events/listeners';
import { patchLookups } from './events/lookups';
import { Loading } from './events/loading';
import { patchMessages, patchWindows } from './events/messages';
import { patchFetch, patchRequests } from './events/network';
import { Moves, watchNavigation } from './events/navigation';
import { Objects } from './events/objects';
import { patchObservers } from './events/observers';
import { Scripts } from './events/scripts';
import { Scrolling } from './events/scrolling';
import { patchSharedWorkers } from './events/shared';
import { patchStorage } from './events/storage';
import { patchStreams } from './events/streams';
import { WindowRealm } from './events/window';
import { announcer, patchWorkers, Workshop } from './events/workers';
import { Steps, type TestSettings } from './steps';
import { answerReplay, deliver, type PageReplay, replays } from './replay';
import { ownMembers, startWorker } from './worker';

const { indexOf } = String.prototype;

export interface Settings {
  /** The number of the document, which its ids contain. */
  realm: number;
  /** The name of the function that takes lines. */
  binding: string;
  /** The name of the hooks that the page's code was rewritten for. */
  global?: string;
  /** How inputs are ordered. */
  input?: InputMode;
  /** Where the recorder answers requests of the page. */
  answering?: Answering;
  /** When the recording began, in milliseconds since 1970. */
  began?: number;
  /** The test that drives the page, if one does. */
  test?: TestSettings;
  /** The replay that this is, if it is one. */
  replay?: PageReplay;
}

export function start(settings: Settings): void {
  const global: any = globalThis;
  // A window that is opened without an opener first has an empty document, in which there is no binding.
  if (!isPage(global.location) || typeof global[settings.binding] !== 'function') return;
  const name = settings.global ?? hooksName;
  const before = describe(global, name)?.value;
  if (before) return before.restart();
  const platform = platformOf(global, settings);
  const agent = agentOf(global, name, platform) ?? new Agent(platform, settings.realm);
  if (settings.replay) replays(global, agent, platform, settings.replay);
  leaveQuiet();
  if (!global.document) ownMembers(global);
  const code = new PageCode(global, agent, name, settings.answering ?? { path: reserved, proof: '' });
  const recording = install(global, wireOf(agent, code), name);
  const { hooks, recorder } = recording;
  define(hooks, 'agent', { value: agent });
  define(hooks, 'restart', { value: () => (agent.renumber(), realm.renew()) });
  const realm = new WindowRealm(global, settings.realm, agent, recorder, hooks, code);
  if (!global.document) {
    agent.join({ ...recording, drain: () => {} });
    return startWorker(realm, (dispatches) => deliver(dispatches, platform, settings.replay));
  }
  // It uses the platform's own functions, before any is replaced.
  if (global.parent === global) new Steps(realm, (text) => platform.send(text), settings.test);
  const elements = new Elements(realm);
  hooks.isLoose = (object) => elements.isLoose(object);
  const dispatches = new Dispatches(realm, elements);
  const loading = new Loading(dispatches);
  const modules = new Modules(realm, announcer(global));
  const scripts = new Scripts(dispatches, loading, modules);
  const controls = new Controls(dispatches);
  const documents = new Documents(dispatches, loading, scripts, controls);
  const focus = new Focus(dispatches, loading);
  const moves = new Moves(realm);
  const input = new Input(
    dispatches,
    loading,
    scripts,
    controls,
    focus,
    moves,
    new Scrolling(dispatches),
    new Changes(dispatches),
    settings.input ?? 'user',
  );
  agent.join({ ...recording, drain: () => (documents.drain(), focus.drain(), moves.drain()) });
  shareGlobals(agent, global, recorder);
  patchTimers(realm, delays);
  const [deliveries, play] = deliver(dispatches, platform, settings.replay);
  const promises = new Promises(realm, modules);
  patchIteration(realm);
  patchFetch(realm, promises);
  patchRequests(dispatches, deliveries);
  patchFrames(realm);
  patchLabels(realm);
  patchListeners(dispatches);
  patchLookups(dispatches);
  const mail = patchMessages(dispatches, deliveries);
  patchWindows(mail);
  const workshop = Workshop.of(realm);
  if (workshop) {
    patchWorkers(mail, workshop);
    patchSharedWorkers(mail, workshop);
  }
  const objects = new Objects(dispatches, loading);
  play(objects);
  input.maker = (object) => objects.life(object).made;
  patchObservers(dispatches);
  patchStreams(realm, promises);
  patchStorage(realm);
  patchDatabases(dispatches);
  code.patchFunction();
  const tree = new Tree(dispatches);
  documents.tree = tree;
  tree.watch = (node) => documents.watch(node);
  patchCustomElements(dispatches, loading, documents);
  tree.starts = (element) => loading.starts(element);
  tree.writes = (begins) => documents.writes(begins);
  watchAnimations(dispatches, loading, documents);
  watchNavigation(dispatches, moves, () => agent.withdraw(platform));
  objects.last();
  define(global, inputName, { value: (mode: InputMode, step?: string) => input.become(mode, step) });
  define(global, pending, { value: () => agent.pending });
  answerReplay(global, agent);
  define(global, flush, { value: () => (agent.strays(), agent.send()) });
  // The functions that have replaced the platform's count as the platform's, too.
  learnPlatform(global);
}

/**
 * Whether a document is the page's own: the browser has documents for errors and for PDF files, the recorder some of
 * its own.
 */
function isPage({ protocol, pathname }: Location): boolean {
  return apply(indexOf, protocol, ['chrome']) !== 0 && apply(indexOf, pathname, [reserved]) !== 0;
}

/** Lets each window of an agent record accesses to the variables of the others under their own names. */
function shareGlobals(agent: Agent, global: object, recorder: AccessRecorder): void {
  const { windows } = agent;
  const name = (to: AccessRecorder, window: object, of: AccessRecorder): void =>
    to.makeSpecial(getPrototypeOf(window)!, (object, key, site, write) => {
      if (object === window) of.globalAccess(key, site, write);
    });
  for (let at = 0; at < windows.length; at++) {
    const other = windows.at(at);
    name(recorder, other.global, other.recorder);
    name(other.recorder, global, recorder);
  }
  windows.add({ global, recorder });
}

/** The wire of one realm: the events of its agent, and requests to its own origin. */
function wireOf(agent: Agent, code: PageCode): Wire {
  return {
    get epoch() {
      return agent.epoch;
    },
    access: (write, location, index, value, site) => agent.access(write, location, index, value, site),
    initialised: (location, index) => agent.initialised(location, index),
    source: (script) => code.source(script),
    rewrite: (source, strict, isGlobal) => code.compile(isGlobal ? 'indirect' : 'eval', source, [], strict),
  };
}

/** The agent of the window around this one, or of the one that opened it, if it has the same origin. */
function agentOf(global: any, name: string, platform: Platform): Agent | undefined {
  const isTop = global.parent === global;
  try {
    const agent: Agent | undefined = (isTop ? global.opener : global.parent)?.[name]?.agent;
    // A frame is gone with the window around it, but not a window with the one that opened it.
    if (isTop) agent?.stand(platform);
    return agent;
  } catch {
    // Another origin.
    return undefined;
  }
}

function platformOf(global: any, settings: Settings): Platform {
  const { queueMicrotask, setTimeout, performance } = global;
  const { now } = global.Performance.prototype;
  const send = global[settings.binding];
  const { decode } = global.TextDecoder.prototype;
  const decoder = new global.TextDecoder('latin1');
  const { subarray } = global.Uint8Array.prototype;
  const offset = settings.began ? performance.timeOrigin - settings.began : 0;
  return {
    microtask: (callback) => apply(queueMicrotask, global, [callback]),
    later: (callback, delay) => apply(setTimeout, global, [callback, delay]),
    now: () => offset + (apply(now, performance, []) as number),
    send: (text) => apply(send, global, [text]),
    text: (bytes, length) => apply(decode, decoder, [apply(subarray, bytes, [0, length])]),
  };
}
