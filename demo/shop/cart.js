// Uninitialised function: the buttons that call it may be clicked before this script is here.
// Lost update: what was read before the request is written back after it.
async function addToCart(item) {
  const before = cart.total;
  const response = await fetch(`/api/price?item=${item}`);
  const price = await response.json();
  cart.total = before + price;
  document.getElementById('total').textContent = `${cart.total} €`;
}
