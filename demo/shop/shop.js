// Runs before the page is there: whatever it hands over, the page's elements come after.
const cart = { total: 0 };
let ordered = false;

// Stale response: answers are shown as they come, and an early question may be answered late.
document.addEventListener('input', async (event) => {
  if (event.target.id !== 'search') return;
  const response = await fetch(`/api/search?q=${encodeURIComponent(event.target.value)}`);
  const found = await response.json();
  document.getElementById('results').textContent = found.join(', ');
});

// Double submit: a second click before the answer finds nothing ordered yet.
document.addEventListener('click', async (event) => {
  if (event.target.id !== 'order' || ordered) return;
  const response = await fetch('/api/order', { method: 'POST' });
  ordered = true;
  document.getElementById('status').textContent = await response.text();
});
