'use client';

import { useEffect, useState } from 'react';

export default function Counter() {
  const [count, setCount] = useState(0);
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <button type="button" id="count" data-ready={ready} onClick={() => setCount(count + 1)}>
      Count is {count}
    </button>
  );
}
