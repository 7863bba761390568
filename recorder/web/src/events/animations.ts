/**
 * Events of CSS animations and transitions.
 *
 * They come after the insertion of their target, and after the change of a class or style that began
 * them: the last such change of the target, or else of the nearest element around it, since the target
 * was inserted. An older change is no cause, because the insertion began the animation. The events of
 * one animation follow each other: run, start, iterations, and end or cancel.
 */
import { newMap, newWeakMap } from 'interloper-js-recorder/natives';
import type { Dispatches } from './dispatch';
import type { Documents } from './documents';
import type { Loading } from './loading';

/** The events of an animation, and whether each is the first. */
const TYPES: [string, boolean][] = [
  ['animationstart', true],
  ['animationiteration', false],
  ['animationend', false],
  ['animationcancel', false],
  ['transitionrun', true],
  ['transitionstart', false],
  ['transitionend', false],
  ['transitioncancel', false],
  ['webkitAnimationStart', true],
  ['webkitAnimationIteration', false],
  ['webkitAnimationEnd', false],
  ['webkitTransitionEnd', false],
];

/** A change of a class or style, and when it was made. */
interface Change {
  event: string;
  epoch: number;
}

/** The animations of an element: the last event, and the change that began the animation. */
interface Running {
  last: string;
  cause: string;
}

export function watchAnimations(dispatches: Dispatches, loading: Loading, documents: Documents): void {
  const { realm, elements } = dispatches;
  const { agent, global } = realm;
  const changes = newWeakMap<object, Change>();
  const inserted = newWeakMap<object, number>();
  const running = newWeakMap<object, Map<string, Running>>();
  const types = newMap<string, boolean>();
  for (const [type, first] of TYPES) types.set(type, first);
  const animation = realm.getter(global.AnimationEvent?.prototype, 'animationName');
  const transition = realm.getter(global.TransitionEvent?.prototype, 'propertyName');
  const pseudo = realm.getter(global.AnimationEvent?.prototype, 'pseudoElement');
  const pseudoOf = realm.getter(global.TransitionEvent?.prototype, 'pseudoElement');

  documents.inserted = (element) => void inserted.set(element, agent.epoch);
  documents.restyled = (element) => void changes.set(element, { event: agent.event, epoch: agent.epoch });

  /** The change that began an animation of an element. */
  const began = (target: object): string => {
    let since = -1;
    for (let at: any = target; at; at = elements.parent(at)) {
      const from = inserted.get(at);
      if (from !== undefined && from > since) since = from;
      const change = changes.get(at);
      if (change && change.epoch > since) return change.event;
    }
    return '';
  };

  dispatches.source((event, target, type) => {
    const first = types.get(type);
    if (first === undefined || !elements.isElement(target) || !dispatches.trusted(event)) return false;
    const isTransition = type[0] === 't' || type[6] === 'T';
    const name = isTransition ? `${transition(event)} ${pseudoOf(event)}` : `@${animation(event)} ${pseudo(event)}`;
    let all = running.get(target);
    if (!all) running.set(target, (all = newMap()));
    let one = first ? undefined : all.get(name);
    if (!one) all.set(name, (one = { last: '', cause: began(target) }));
    const id = realm.id();
    dispatches.begin(event, id, type, elements.target(target));
    realm.arc(loading.creator(target), id, 'target');
    realm.arc(one.cause, id, 'animation');
    realm.arc(one.last, id, 'animation');
    one.last = id;
    agent.end();
    return true;
  });
}
