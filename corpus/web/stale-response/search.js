const box = document.querySelector("#box");
const results = document.querySelector("#results");

box.addEventListener("input", () => {
  fetch(`/search?q=${box.value}`).then((answer) => showResults(answer));
});

function showResults(answer) {
  results.replaceChildren(answer);
}
