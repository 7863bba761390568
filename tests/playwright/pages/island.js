const menu = document.getElementById('menu');
menu.addEventListener('click', () => {
  document.getElementById('entries').hidden = false;
});
menu.setAttribute('data-ready', 'yes');
