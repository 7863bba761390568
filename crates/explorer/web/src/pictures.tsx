// Pictures of the recorded page: which there are, and how one is drawn.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { picture, type RunView, view } from './api';
import { run } from './route';

/** Returns the operations before which there is a picture, in order; none until the run is there. */
export function usePictures(): number[] {
  const [ops, set] = useState<number[]>([]);
  useEffect(() => {
    let current = true;
    view<RunView>(String(run.value)).then(
      (shown) => current && set(shown.pictures),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [run.value]);
  return ops;
}

/** Returns the index of the first picture after an operation. */
export function firstAfter(ops: number[], op: number): number {
  let [low, high] = [0, ops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ops[middle]! <= op) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A small picture of the page as it was before an operation, or a frame that says that nobody has seen it. */
export function Thumbnail({ op, name }: { op: number | undefined; name: string }): JSX.Element {
  const self = useRef<HTMLCanvasElement>(null);
  const [isThere, set] = useState(true);
  useEffect(() => {
    let current = true;
    if (op === undefined) return;
    picture(run.value, op).then(
      (image) => {
        const canvas = self.current;
        if (!current || !canvas) return;
        set(true);
        canvas.width = image.width;
        canvas.height = image.height;
        canvas.getContext('2d')!.drawImage(image, 0, 0);
      },
      () => current && set(false),
    );
    return () => {
      current = false;
    };
  }, [op]);
  if (op === undefined || !isThere) return <span class="unseen">unseen</span>;
  return <canvas class="thumb" ref={self} role="img" aria-label={name} />;
}
