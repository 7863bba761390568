// Late handler: the page looks complete, but a click that comes before this script does nothing.
document.getElementById('wish').addEventListener('click', function wish() {
  document.getElementById('wished').textContent = 'You wish for tea and coffee.';
});
