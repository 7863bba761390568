'use client';

import { useEffect, useState } from 'react';

export default function Notes() {
  const [notes, setNotes] = useState(null);
  const [text, setText] = useState('');
  useEffect(() => {
    fetch('/api/notes')
      .then((response) => response.json())
      .then(setNotes);
  }, []);
  async function add(event) {
    event.preventDefault();
    const response = await fetch('/api/notes', { method: 'POST', body: JSON.stringify({ text }) });
    setNotes(await response.json());
    setText('');
  }
  return (
    <form onSubmit={add}>
      <ul id="notes" data-loaded={notes !== null}>
        {(notes ?? []).map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <input id="text" value={text} onChange={({ target }) => setText(target.value)} />
      <button type="submit" id="add">
        Add
      </button>
    </form>
  );
}
