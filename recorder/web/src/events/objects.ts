/**
 * Events that the browser dispatches to its own objects: sockets, readers, recorders, media, the window.
 *
 * An event comes after the call that made its object, or after the insertion of its element, and after
 * the calls that started what it reports. The events of one object follow each other, because the
 * browser queues them in one place. The types of events on windows and nodes are independent of each
 * other, so there only the events of one type, or of one family such as media, follow each other.
 */
import { apply, construct, lookup, newMap, newWeakMap } from 'interloper-js-recorder/natives';
import { replace, type Method } from 'interloper-js-recorder/builtins';
import { isObject } from 'interloper-js-recorder/names';
import type { Deliveries } from './deliveries';
import type { Dispatches } from './dispatch';
import type { Loading } from './loading';
import { standFor } from './messages';

/** Constructors of objects whose events come over the network. */
const CONNECTIONS = ['WebSocket', 'EventSource'];
/** Constructors of other objects that dispatch events. */
const MADE = [
  'Animation',
  'AudioContext',
  'AudioDecoder',
  'AudioEncoder',
  'AudioWorkletNode',
  'CloseWatcher',
  'EditContext',
  'FileReader',
  'IdleDetector',
  'MediaRecorder',
  'MediaSource',
  'MediaStream',
  'Notification',
  'OfflineAudioContext',
  'OffscreenCanvas',
  'PaymentRequest',
  'PresentationRequest',
  'RTCPeerConnection',
  'SpeechSynthesisUtterance',
  'VTTCue',
  'VideoDecoder',
  'VideoEncoder',
  'webkitSpeechRecognition',
];
/** Functions of the platform that return such an object. */
const RETURNED: [string[], string][] = [
  [[], 'matchMedia'],
  [['AbortSignal'], 'timeout'],
  [['Element', 'prototype'], 'animate'],
  [['RTCPeerConnection', 'prototype'], 'createDataChannel'],
  [['MediaSource', 'prototype'], 'addSourceBuffer'],
  [['HTMLMediaElement', 'prototype'], 'addTextTrack'],
  [['HTMLMediaElement', 'prototype'], 'captureStream'],
  [['HTMLCanvasElement', 'prototype'], 'captureStream'],
];
/** Methods that start what the next event of these types reports; without types, what any event reports. */
const STARTED: [string, string[], string[]?][] = [
  ['FileReader', ['readAsArrayBuffer', 'readAsBinaryString', 'readAsDataURL', 'readAsText']],
  ['HTMLMediaElement', ['load'], ['abort', 'emptied', 'loadstart', 'durationchange', 'loadedmetadata', 'loadeddata']],
  ['HTMLMediaElement', ['play'], ['play', 'playing', 'timeupdate', 'ended']],
  ['HTMLMediaElement', ['pause'], ['pause']],
  ['MediaRecorder', ['start'], ['start']],
  ['MediaRecorder', ['stop'], ['stop']],
  ['MediaRecorder', ['pause'], ['pause']],
  ['MediaRecorder', ['resume'], ['resume']],
  ['OfflineAudioContext', ['startRendering'], ['complete']],
  ['RTCPeerConnection', ['addTrack', 'addTransceiver', 'createDataChannel'], ['negotiationneeded']],
  ['RTCPeerConnection', ['setLocalDescription', 'setRemoteDescription'], ['icecandidate', 'signalingstatechange']],
  ['SourceBuffer', ['appendBuffer', 'remove'], ['updatestart', 'update', 'updateend']],
  ['SourceBuffer', ['abort'], ['abort']],
];
/** Types of events of a media element, which come from one queue. */
const MEDIA = `abort canplay canplaythrough durationchange emptied encrypted ended error loadeddata loadedmetadata
loadstart pause play playing progress ratechange resize seeked seeking stalled suspend timeupdate volumechange waiting
waitingforkey enterpictureinpicture leavepictureinpicture cuechange`;
/** Types of events that no `on…` property names. */
const UNNAMED = `DOMActivate DOMAutoComplete devicemotion deviceorientation deviceorientationabsolute
fullscreenchange fullscreenerror gamepadconnected gamepaddisconnected pointerlockchange pointerlockerror
prerenderingchange readystatechange selectionchange textInput visibilitychange webglcontextlost
webglcontextrestored webglcontextcreationerror webkitfullscreenchange webkitfullscreenerror`;

/** The history of an object, as far as it causes events. */
interface Life {
  /** The event of the first dispatch, posted by the event that made the object. */
  next: string;
  /** The event that made the object. */
  made: string;
  /** The kind of order among the object's events. */
  by: string;
  /** The last event of each family. */
  last: Map<string, string>;
  /** The first event since the last report that started something, by the type of its report, or by `*`. */
  started: Map<string, string>;
}

function words(text: string): Map<string, true> {
  const found = newMap<string, true>();
  const list = text.split(/\s+/);
  for (let at = 0; at < list.length; at++) found.set(list[at]!, true);
  return found;
}

export class Objects {
  private readonly lives = newWeakMap<object, Life>();
  private readonly media = words(MEDIA);
  private readonly unnamed = words(UNNAMED);

  constructor(
    private readonly dispatches: Dispatches,
    /** Finds the event that inserted an element. */
    private readonly loading: Pick<Loading, 'creator' | 'last'>,
  ) {
    const { global } = dispatches.realm;
    for (const name of CONNECTIONS) this.watch(name, 'network');
    for (const name of MADE) this.watch(name, 'object');
    for (const [path, key] of RETURNED) this.returned(path, key);
    for (const [name, methods, types] of STARTED)
      for (const method of methods) this.starter(global[name]?.prototype, method, types);
    this.properties(global);
  }

  /** Adds the source of the events that no other source knows. It must be the last one. */
  last(): void {
    const { realm, elements } = this.dispatches;
    this.dispatches.source((event, target, type) => {
      if (!this.dispatches.trusted(event) || !isObject(target)) return false;
      if (target !== realm.global && !elements.isNode(target)) this.dispatched(event, target, type, '');
      else if (this.media.has(type) && elements.isElement(target) && this.isMedia(target))
        this.dispatched(event, target, type, 'media');
      else if (this.unnamed.has(type) || lookup(target, `on${type}`) || lookup(realm.global, `on${type}`))
        this.dispatched(event, target, type, type);
      else return false;
      return true;
    });
  }

  private isMedia(element: object): boolean {
    const tag = this.dispatches.elements.tag(element);
    return tag === 'audio' || tag === 'video';
  }

  life(object: object): Life {
    let life = this.lives.get(object);
    if (!life) {
      life = { next: '', made: '', by: 'object', last: newMap(), started: newMap() };
      this.lives.set(object, life);
    }
    return life;
  }

  /** Notes that the running event made an object. */
  made(object: unknown, by = 'object'): void {
    const { agent } = this.dispatches.realm;
    if (!isObject(object) || agent.event === '' || this.lives.has(object)) return;
    const life = this.life(object);
    life.made = agent.event;
    life.by = by;
  }

  /** Notes that the running event started what the next events of these types report. */
  start(object: object, types?: string[]): void {
    const { event } = this.dispatches.realm.agent;
    if (event === '') return;
    const { started } = this.life(object);
    if (!types) started.set('*', event);
    else for (let at = 0; at < types.length; at++) if (!started.has(types[at]!)) started.set(types[at]!, event);
  }

  /** Records a dispatch to an object. */
  private dispatched(event: object, target: object, type: string, family: string): void {
    const { realm, elements } = this.dispatches;
    const life = this.life(target);
    const id = life.next || realm.id();
    life.next = '';
    realm.agent.strays();
    this.dispatches.begin(event, id, type, elements.target(target));
    if (elements.isNode(target)) realm.arc(this.loading.creator(target), id, 'target');
    if (type === 'pageshow') realm.arc(this.loading.last, id, 'load');
    realm.arc(life.made, id, 'target');
    realm.arc(life.started.get(type) ?? '', id, 'object');
    realm.arc(life.started.get('*') ?? '', id, 'object');
    life.started.delete(type);
    life.started.delete('*');
    realm.arc(life.last.get(family) ?? '', id, life.by);
    life.last.set(family, id);
    realm.agent.end();
  }

  /** Dispatches an event of the recorder's own to an object, as the browser dispatches its events. */
  post(deliveries: Deliveries, target: object, event: object): void {
    const { elements } = this.dispatches;
    const task = { id: this.life(target).next, name: elements.target(target) };
    deliveries.post(target, task, event);
  }

  /** Watches a constructor of the platform. */
  private watch(name: string, by: string): void {
    const { realm } = this.dispatches;
    standFor(realm.global, name, (target, args, newTarget) => {
      const made = construct(target, args, newTarget) as object;
      this.made(made, by);
      if (by === 'network') {
        realm.enqueue((this.life(made).next = realm.id()), 'network');
        // A message that nobody listens to yet is an event, too: the program loses it.
        realm.listen(made, 'message', (event: any) => this.arrived(event), true);
      }
      return made;
    });
  }

  /** Notes that a message of a connection arrives, before any listener of the program is called. */
  private arrived(event: object): void {
    if (this.dispatches.isNative(event) && !this.dispatches.task(event)) this.dispatches.find(event);
  }

  private returned(path: string[], key: string): void {
    const objects = this;
    let holder = this.dispatches.realm.global;
    for (const step of path) holder = holder?.[step];
    if (!holder) return;
    replace(
      holder,
      key,
      (original) =>
        ({
          method(...args: unknown[]) {
            const result = apply(original, this, args);
            objects.made(result);
            return result;
          },
        }).method,
    );
  }

  private starter(holder: object | undefined, key: string, types: string[] | undefined): void {
    const objects = this;
    if (!holder) return;
    replace(
      holder,
      key,
      (original) =>
        ({
          method(...args: unknown[]) {
            const result = apply(original, this, args);
            if (isObject(this)) objects.start(this, types);
            return result;
          },
        }).method,
    );
  }

  /** Watches the properties of media elements that start something. */
  private properties(global: any): void {
    const objects = this;
    const setters: [string, string[]][] = [
      ['src', ['abort', 'emptied', 'loadstart', 'durationchange', 'loadedmetadata', 'loadeddata', 'error']],
      ['srcObject', ['abort', 'emptied', 'loadstart', 'durationchange', 'loadedmetadata', 'loadeddata', 'error']],
      ['currentTime', ['seeking', 'seeked']],
      ['volume', ['volumechange']],
      ['muted', ['volumechange']],
      ['playbackRate', ['ratechange']],
    ];
    for (let at = 0; at < setters.length; at++) {
      const [key, types] = [setters[at]![0], setters[at]![1]];
      this.dispatches.realm.accessor(global.HTMLMediaElement?.prototype, key, {
        set: (original: Method) =>
          ({
            method(value: unknown) {
              apply(original, this, [value]);
              if (isObject(this)) objects.start(this, types);
            },
          }).method,
      });
    }
  }
}
