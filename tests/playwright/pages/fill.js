const state = { name: '' };
const field = document.getElementById('name');
// Hydration renders the state into the field.
field.value = state.name;
field.addEventListener('input', () => {
  state.name = field.value;
  document.getElementById('hello').textContent = `Hello ${state.name}`;
});
document.getElementById('hello').setAttribute('data-hydrated', 'true');
