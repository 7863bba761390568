/**
 * Events of CSS animations and transitions.
 *
 * They come after the insertion of their target, and after the change of a class or style that began
 * them: the last such change of the target, or else of the nearest element around it, since the target
 * was inserted. An older change is no cause, because the insertion began the animation. The events of
 * one animation follow each other: run, start, iterations, and end or cancel.
 *
 * The transitions that one change of an element began follow each other, too: they start in one frame on
 * one clock, so their delays and durations decide the order of their events, and if these are equal, their
 * properties do (CSS Transitions, "the order of transition events"; Web Animations, "update animations and
 * send events"). Nothing orders transitions of two elements, since one may have to wait until it can be
 * drawn, or two animations, since a style can pause one of them.
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

/** Events that follow each other, of which the last is known. */
interface Chain {
  last: string;
}

/** An animation of an element: the change that began it, and its events. */
interface Running {
  cause: string;
  chain: Chain;
}

/** The animations of an element by name, and the transition that began last. */
interface Animated {
  running: Map<string, Running>;
  last: Running | undefined;
}

export function watchAnimations(dispatches: Dispatches, loading: Loading, documents: Documents): void {
  const { realm, elements } = dispatches;
  const { agent, global } = realm;
  const changes = newWeakMap<object, Change>();
  const inserted = newWeakMap<object, number>();
  const animated = newWeakMap<object, Animated>();
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

  /** Notes that an animation of an element begins, or is first heard of. */
  const note = (all: Animated, target: object, name: string, isTransition: boolean): Running => {
    const cause = began(target);
    const together = isTransition && cause !== '' && all.last?.cause === cause;
    const one = { cause, chain: together ? all.last!.chain : { last: '' } };
    if (isTransition) all.last = one;
    all.running.set(name, one);
    return one;
  };

  const find = (event: any, target: object, isTransition: boolean, isFirst: boolean): Running => {
    const name = isTransition ? `${transition(event)} ${pseudoOf(event)}` : `@${animation(event)} ${pseudo(event)}`;
    let all = animated.get(target);
    if (!all) animated.set(target, (all = { running: newMap(), last: undefined }));
    return (!isFirst && all.running.get(name)) || note(all, target, name, isTransition);
  };

  // The change that began a transition is known when it begins, whether or not the page listens to that.
  const heard = (event: any): void => {
    const target = dispatches.target(event);
    if (dispatches.isNative(event) && elements.isElement(target)) find(event, target, true, true);
  };
  realm.started(() => realm.listen(global, 'transitionrun', heard, true));

  dispatches.source((event, target, type) => {
    const first = types.get(type);
    if (first === undefined || !elements.isElement(target) || !dispatches.trusted(event)) return false;
    const isTransition = type[0] === 't' || type[6] === 'T';
    const one = find(event, target, isTransition, first && !isTransition);
    const id = realm.id();
    dispatches.begin(event, id, type, elements.target(target));
    realm.arc(loading.creator(target), id, 'target');
    realm.arc(one.cause, id, 'animation');
    realm.arc(one.chain.last, id, 'animation');
    one.chain.last = id;
    agent.end();
    return true;
  });
}
