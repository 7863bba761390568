document.addEventListener('keydown', (event) => {
  if (event.key === '/') document.getElementById('search').setAttribute('open', '');
});
document.getElementById('search').setAttribute('data-ready', 'yes');
