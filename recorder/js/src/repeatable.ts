/**
 * Makes a replayed program repeatable: random numbers are those of its tasks (`holds.ts`), and the clock starts at
 * the time of the recording. Cryptographic random numbers are replaced, too, so a replay must never have secrets to
 * make.
 */
import { replace, disguise, type Method } from './builtins';
import type { Holds } from './holds';
import { apply, construct, define, describe, getPrototypeOf, RealProxy, RealUint8Array } from './natives';

export function patchRandom(global: any, holds: Holds): void {
  replace(
    global.Math,
    'random',
    () =>
      ({
        method() {
          // 53 bits, as engines give.
          return ((holds.random() >>> 5) * 0x4000000 + (holds.random() >>> 6)) / 0x20000000000000;
        },
      }).method,
  );
  const { prototype } = global.Crypto ?? {};
  if (!prototype) return;
  const views = getPrototypeOf(RealUint8Array.prototype)!;
  const getter = (key: string): Method => describe(views, key)!.get as Method;
  const [buffer, offset, length] = [getter('buffer'), getter('byteOffset'), getter('byteLength')];
  replace(
    prototype,
    'getRandomValues',
    (original) =>
      ({
        method(...args: unknown[]) {
          // The platform checks the arguments.
          const view = apply(original, this, args);
          const size = apply(length, view, []) as number;
          const bytes = new RealUint8Array(apply(buffer, view, []), apply(offset, view, []) as number, size);
          for (let at = 0; at < size; at++) bytes[at] = holds.random() & 0xff;
          return view;
        },
      }).method,
  );
  replace(
    prototype,
    'randomUUID',
    (original) =>
      ({
        method(...args: unknown[]) {
          apply(original, this, args);
          const digits = '0123456789abcdef';
          let text = '';
          for (let at = 0; at < 32; at++) {
            if (at === 8 || at === 12 || at === 16 || at === 20) text += '-';
            const digit = holds.random() & 15;
            text += at === 12 ? '4' : at === 16 ? digits[8 + (digit & 3)]! : digits[digit]!;
          }
          return text;
        },
      }).method,
  );
}

export function patchClock(global: any, holds: Holds): void {
  const property = describe(global, 'Date')!;
  const native = property.value;
  const { now } = native;
  const { toString } = native.prototype;
  const time = (): number => (apply(now, native, []) as number) + Math.round(holds.clock);
  const ours: any = new RealProxy(native, {
    construct: (target, args, newTarget) =>
      construct(target, args.length === 0 ? [time()] : args, newTarget === ours ? target : newTarget) as object,
    apply: (target) => apply(toString, construct(target, [time()], target), []),
  });
  replace(native, 'now', () => ({ method: () => time() }).method);
  disguise(ours, native);
  define(global, 'Date', { ...property, value: ours });
  const constructor = describe(native.prototype, 'constructor')!;
  define(native.prototype, 'constructor', { ...constructor, value: ours });
  const performances = global.Performance?.prototype;
  if (!performances) return;
  replace(
    performances,
    'now',
    (original) =>
      ({
        method(...args: unknown[]) {
          return (apply(original, this, args) as number) + holds.skipped;
        },
      }).method,
  );
  const origin = describe(performances, 'timeOrigin');
  const get = origin?.get as Method | undefined;
  if (!origin || !get) return;
  const { method } = {
    method(this: unknown) {
      return (apply(get, this, []) as number) + holds.clock - holds.skipped;
    },
  };
  define(performances, 'timeOrigin', { ...origin, get: disguise(method, get) as () => unknown });
}
