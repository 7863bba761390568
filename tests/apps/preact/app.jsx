// Preact: a class with state, saved by XMLHttpRequest; an item's code is loaded when it is needed.
import { Component, render } from 'preact';

/** Sends a request to the server by XMLHttpRequest. */
function ask(method, path, body, then) {
  const request = new XMLHttpRequest();
  request.open(method, `/api/todos${path}`);
  request.responseType = 'json';
  request.onload = () => then(request.response);
  request.send(body && JSON.stringify(body));
}

class App extends Component {
  state = { todos: [], text: '', saves: 0, filter: localStorage.getItem('filter') ?? '#/', Item: null };
  #follow = () => this.setState({ filter: location.hash || '#/' });

  async componentDidMount() {
    addEventListener('hashchange', this.#follow);
    const { Item } = await import('./item.jsx');
    this.setState({ Item });
    ask('GET', '', undefined, (todos) => this.setState({ todos }));
  }

  componentDidUpdate() {
    localStorage.setItem('filter', this.state.filter);
    console.log('shown', this.shown.map(({ title }) => title).join(', '));
  }

  get shown() {
    const { todos, filter } = this.state;
    return todos.filter(({ done }) => filter === '#/' || done === (filter === '#/done'));
  }

  #saved(change) {
    this.setState(({ todos, saves }) => ({ todos: change(todos), saves: saves + 1 }));
  }

  add = (event) => {
    event.preventDefault();
    const title = this.state.text.trim();
    this.setState({ text: '' });
    ask('POST', '', { title }, (todo) => this.#saved((todos) => [...todos, todo]));
  };

  put = (todo) =>
    ask('PUT', `/${todo.id}`, todo, (news) =>
      this.#saved((todos) => todos.map((old) => (old.id === news.id ? news : old))),
    );

  remove = ({ id }) =>
    ask('DELETE', `/${id}`, undefined, () => this.#saved((todos) => todos.filter((todo) => todo.id !== id)));

  clear = () => this.state.todos.filter(({ done }) => done).forEach(this.remove);

  render(_, { todos, text, saves, Item }) {
    const left = todos.filter(({ done }) => !done).length;
    return (
      <>
        <form onSubmit={this.add}>
          <input id="new" value={text} onInput={({ target }) => this.setState({ text: target.value })} />
        </form>
        <ul id="list">
          {Item && this.shown.map((todo) => <Item key={todo.id} todo={todo} put={this.put} remove={this.remove} />)}
        </ul>
        <p id="left">{left} left</p>
        <button id="clear" disabled={left === todos.length} onClick={this.clear}>
          clear
        </button>
        <p id="status" data-saves={saves}>
          {saves} saved
        </p>
      </>
    );
  }
}

render(<App />, document.getElementById('app'));
