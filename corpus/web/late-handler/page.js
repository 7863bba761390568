let count = 0;

document.querySelector("#buy").addEventListener("click", () => {
  count += 1;
});
