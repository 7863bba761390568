// Runs first in every app, recorded or not. On Control+k it sends the server the state of the page, and
// what was logged and thrown since the last time.
const said = [];
const platform = new Set(Object.getOwnPropertyNames(window));
for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
  const say = console[level];
  console[level] = (...words) => {
    said.push(`${level}: ${words.map(String).join(' ')}`);
    say.apply(console, words);
  };
}
addEventListener('error', ({ message }) => said.push(`uncaught: ${message}`), true);
addEventListener('unhandledrejection', ({ reason }) => said.push(`unhandled: ${reason}`));

/** State that the markup does not show: the values of fields, and the focused element. */
function fields() {
  const all = [...document.querySelectorAll('input')];
  return all.map((field) => [
    field.className || field.id,
    field.value,
    field.checked,
    field === document.activeElement,
  ]);
}

addEventListener(
  'keydown',
  (event) => {
    if (!event.ctrlKey || event.key !== 'k') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const body = JSON.stringify({
      at: Date.now(),
      html: document.documentElement.outerHTML,
      fields: fields(),
      globals: Object.getOwnPropertyNames(window).filter((name) => !platform.has(name)),
      stored: { ...localStorage },
      hash: location.hash,
      said: said.splice(0),
    });
    navigator.sendBeacon('/dump', body);
  },
  true,
);
