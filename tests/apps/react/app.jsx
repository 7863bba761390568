// React: rendering is suspended until the list is loaded, filters are transitions, saving is a fetch.
import {
  memo,
  Suspense,
  use,
  useEffect,
  useLayoutEffect,
  useMemo,
  useOptimistic,
  useReducer,
  useRef,
  useState,
  useTransition,
} from 'react';
import { createRoot } from 'react-dom/client';

const first = fetch('/api/todos').then((response) => response.json());

function change(todos, { type, todo, id }) {
  switch (type) {
    case 'add':
      return [...todos, todo];
    case 'put':
      return todos.map((old) => (old.id === todo.id ? { ...old, ...todo } : old));
    case 'remove':
      return todos.filter((old) => old.id !== id);
  }
}

function useFilter() {
  const [filter, setFilter] = useState(() => localStorage.getItem('filter') ?? '#/');
  const [isPending, startTransition] = useTransition();
  useEffect(() => {
    const follow = () => startTransition(() => setFilter(location.hash || '#/'));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useLayoutEffect(() => localStorage.setItem('filter', filter), [filter]);
  return [filter, isPending];
}

const Item = memo(function Item({ todo, save, remove }) {
  const [draft, setDraft] = useState(null);
  const field = useRef(null);
  const [shown, hope] = useOptimistic(todo, (old, news) => ({ ...old, ...news }));
  const [, startTransition] = useTransition();
  useLayoutEffect(() => field.current?.focus(), [draft === null]);
  const put = (news) =>
    startTransition(async () => {
      hope(news);
      await save({ ...todo, ...news });
    });
  const key = (event) => {
    if (event.key === 'Enter') put({ title: draft });
    if (event.key === 'Enter' || event.key === 'Escape') setDraft(null);
  };
  return (
    <li id={`todo-${todo.id}`} className={shown.done ? 'done' : undefined}>
      <input type="checkbox" className="toggle" checked={shown.done} onChange={() => put({ done: !todo.done })} />
      {draft === null ? (
        <span className="title">{shown.title}</span>
      ) : (
        <input
          className="editing"
          ref={field}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={key}
        />
      )}
      <button className="edit" onClick={() => setDraft(todo.title)}>
        edit
      </button>
      <button className="remove" onClick={() => remove(todo.id)}>
        remove
      </button>
    </li>
  );
});

function List() {
  const [todos, dispatch] = useReducer(change, use(first));
  const [saves, saved] = useReducer((count) => count + 1, 0);
  const [text, setText] = useState('');
  const [filter, isPending] = useFilter();
  const ask = async (method, path, body) => {
    const response = await fetch(`/api/todos${path}`, { method, body: body && JSON.stringify(body) });
    const answer = await response.json();
    saved();
    return answer;
  };
  const add = async (event) => {
    event.preventDefault();
    setText('');
    dispatch({ type: 'add', todo: await ask('POST', '', { title: text.trim() }) });
  };
  const save = async (todo) => dispatch({ type: 'put', todo: await ask('PUT', `/${todo.id}`, todo) });
  const remove = async (id) => {
    await ask('DELETE', `/${id}`);
    dispatch({ type: 'remove', id });
  };
  const shown = useMemo(
    () => todos.filter(({ done }) => filter === '#/' || done === (filter === '#/done')),
    [todos, filter],
  );
  useLayoutEffect(() => console.log('shown', shown.map(({ title }) => title).join(', ')), [shown]);
  const left = todos.filter(({ done }) => !done).length;
  return (
    <>
      <form onSubmit={add}>
        <input id="new" value={text} onChange={({ target }) => setText(target.value)} />
      </form>
      <ul id="list" aria-busy={isPending}>
        {shown.map((todo) => (
          <Item key={todo.id} todo={todo} save={save} remove={remove} />
        ))}
      </ul>
      <p id="left">{left} left</p>
      <button
        id="clear"
        disabled={left === todos.length}
        onClick={() => todos.filter(({ done }) => done).forEach(({ id }) => remove(id))}
      >
        clear
      </button>
      <p id="status" data-saves={saves}>
        {saves} saved
      </p>
    </>
  );
}

createRoot(document.getElementById('app')).render(
  <Suspense fallback={<p>loading</p>}>
    <List />
  </Suspense>,
);
