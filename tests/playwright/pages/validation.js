document.getElementById('form').addEventListener('submit', (event) => {
  event.preventDefault();
  document.getElementById('problem').textContent = 'No address';
});
document.getElementById('form').setAttribute('data-ready', 'yes');
