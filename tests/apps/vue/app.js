// Vue: the template is compiled in the page, so code is made at run time.
import { computed, createApp, nextTick, onMounted, reactive, ref, watch } from 'vue';

const template = `
  <form @submit.prevent="add"><input id="new" v-model.trim="text"></form>
  <ul id="list">
    <li v-for="todo of shown" :key="todo.id" :id="'todo-' + todo.id" :class="{ done: todo.done }">
      <input type="checkbox" class="toggle" v-model="todo.done" @change="put(todo)">
      <input v-if="editing === todo.id" class="editing" ref="field" v-model="draft"
        @keydown.enter="finish(todo)" @keydown.escape="editing = null">
      <span v-else class="title">{{ todo.title }}</span>
      <button class="edit" @click="edit(todo)">edit</button>
      <button class="remove" @click="remove(todo)">remove</button>
    </li>
  </ul>
  <p id="left">{{ left }} left</p>
  <button id="clear" :disabled="left === todos.length" @click="clear">clear</button>
  <p id="status" :data-saves="saves">{{ saves }} saved</p>`;

function setup() {
  const todos = reactive([]);
  const text = ref('');
  const draft = ref('');
  const editing = ref(null);
  const field = ref(null);
  const saves = ref(0);
  const filter = ref(localStorage.getItem('filter') ?? '#/');
  const shown = computed(() =>
    todos.filter(({ done }) => filter.value === '#/' || done === (filter.value === '#/done')),
  );
  const left = computed(() => todos.filter(({ done }) => !done).length);

  async function ask(method, path, body) {
    const response = await fetch(`/api/todos${path}`, { method, body: body && JSON.stringify(body) });
    const answer = await response.json();
    if (method !== 'GET') saves.value++;
    return answer;
  }
  const put = (todo) => ask('PUT', `/${todo.id}`, todo);
  async function add() {
    const title = text.value;
    text.value = '';
    todos.push(await ask('POST', '', { title }));
  }
  async function remove(todo) {
    await ask('DELETE', `/${todo.id}`);
    todos.splice(todos.indexOf(todo), 1);
  }
  async function edit(todo) {
    [draft.value, editing.value] = [todo.title, todo.id];
    await nextTick();
    field.value[0].focus();
  }
  function finish(todo) {
    todo.title = draft.value;
    editing.value = null;
    return put(todo);
  }
  const clear = () => Promise.all(todos.filter(({ done }) => done).map(remove));

  onMounted(async () => {
    addEventListener('hashchange', () => (filter.value = location.hash || '#/'));
    for (const todo of await ask('GET', '')) todos.push(todo);
  });
  watch(filter, (now) => localStorage.setItem('filter', now), { immediate: true });
  watch(shown, (now) => console.log('shown', now.map(({ title }) => title).join(', ')), { deep: true });
  return { todos, text, draft, editing, field, saves, shown, left, put, add, remove, edit, finish, clear };
}

createApp({ template, setup }).mount('#app');
