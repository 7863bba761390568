const root = document.getElementById('root');
let count = 0;
root.addEventListener('click', (event) => {
  if (event.target.id === 'add') document.getElementById('count').textContent = `${++count}`;
});
root.setAttribute('data-hydrated', 'true');
