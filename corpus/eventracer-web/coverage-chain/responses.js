let cards;
let cached = false;
let indexed = false;

onResponse("/cards", (response) => {
  cards = response;
  cached = true;
});

onResponse("/index", () => {
  if (cached) {
    indexed = true;
  }
});

onResponse("/search", (query) => {
  if (indexed) {
    show(cards[query]);
  }
});
