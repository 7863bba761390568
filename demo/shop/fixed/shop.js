// The shop without its races: each part does what its twin in ../ does, in an order that holds.
const cart = { total: 0 };
let ordered = false;
let searching = Promise.resolve();
let adding = Promise.resolve();

async function search(text) {
  const response = await fetch(`/api/search?q=${encodeURIComponent(text)}`);
  const found = await response.json();
  document.getElementById('results').textContent = found.join(', ');
}

// One search after the other: the last question is answered last.
document.addEventListener('input', (event) => {
  if (event.target.id !== 'search') return;
  const text = event.target.value;
  searching = searching.then(() => search(text));
});

// Ordered when the user says so, not when the answer comes.
document.addEventListener('click', async (event) => {
  if (event.target.id !== 'order' || ordered) return;
  ordered = true;
  const response = await fetch('/api/order', { method: 'POST' });
  document.getElementById('status').textContent = await response.text();
});

// Here before the buttons that call it; and the next request reads what the last one wrote.
function addToCart(item) {
  adding = adding.then(async () => {
    const before = cart.total;
    const response = await fetch(`/api/price?item=${item}`);
    const price = await response.json();
    cart.total = before + price;
    document.getElementById('total').textContent = `${cart.total} €`;
  });
}

// Handled by the document, which listens before the button is there.
document.addEventListener('click', function wish(event) {
  if (event.target.id !== 'wish') return;
  document.getElementById('wished').textContent = 'You wish for tea and coffee.';
});
