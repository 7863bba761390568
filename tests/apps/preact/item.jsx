import { useEffect, useRef, useState } from 'preact/hooks';

export function Item({ todo, put, remove }) {
  const [draft, setDraft] = useState(null);
  const field = useRef();
  useEffect(() => field.current?.focus(), [draft === null]);
  const key = (event) => {
    if (event.key === 'Enter') put({ ...todo, title: draft });
    if (event.key === 'Enter' || event.key === 'Escape') setDraft(null);
  };
  return (
    <li id={`todo-${todo.id}`} class={todo.done ? 'done' : undefined}>
      <input type="checkbox" class="toggle" checked={todo.done} onChange={() => put({ ...todo, done: !todo.done })} />
      {draft === null ? (
        <span class="title">{todo.title}</span>
      ) : (
        <input
          class="editing"
          ref={field}
          value={draft}
          onInput={(event) => setDraft(event.target.value)}
          onKeyDown={key}
        />
      )}
      <button class="edit" onClick={() => setDraft(todo.title)}>
        edit
      </button>
      <button class="remove" onClick={() => remove(todo)}>
        remove
      </button>
    </li>
  );
}
