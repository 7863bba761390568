// An application of many small events, as large as JupyterLab's start: some 11,000 events and 1.3 million
// recorded accesses. Widgets live as long as the page. An event handles the messages of a few of them: it
// reads and writes their fields, emits signals, computes a layout from objects of its own, and changes the
// document now and then. Timers, ports and promises take turns in calling the next event.
const WIDGETS = 400;
const TASKS = 2800;
const MESSAGES = 8;

class Signal {
  constructor(sender) {
    this.sender = sender;
    this.slots = [];
  }
  connect(slot) {
    this.slots.push(slot);
  }
  emit(value) {
    for (const slot of this.slots) slot(this.sender, value);
  }
}

class Widget {
  constructor(id, parent) {
    this.id = id;
    this.parent = parent;
    this.children = [];
    this.title = `widget ${id}`;
    this.state = { width: 10 + (id % 7), height: 20, visible: true, revision: 0, text: '' };
    this.changed = new Signal(this);
    this.dirty = false;
    if (parent) parent.children.push(this);
  }
  update(revision) {
    const { state } = this;
    state.revision = revision;
    state.width = 10 + ((state.width * 31 + revision) % 97);
    state.text = `${this.title} at ${revision}`;
    this.dirty = true;
    this.changed.emit(revision);
  }
  /** The boxes of the widget and of those below it: objects that only this event sees. */
  layout(depth) {
    const boxes = this.children
      .filter((child) => child.state.visible)
      .map((child, at) => ({ at, width: child.state.width, inner: depth ? child.layout(depth - 1) : [] }));
    boxes.sort((one, two) => one.width - two.width || one.at - two.at);
    let left = 0;
    for (const box of boxes) {
      box.left = left;
      left += box.width;
      for (const inner of box.inner) inner.left += left;
    }
    return boxes;
  }
}

const widgets = [];
const registry = new Map();
let finished = 0;
let total = 0;

for (let id = 0; id < WIDGETS; id++) {
  const widget = new Widget(id, widgets[(id - 1) >> 2]);
  widgets.push(widget);
  registry.set(`widget:${id}`, widget);
  widget.changed.connect((sender) => {
    total += sender.state.width;
    if (sender.parent) sender.parent.dirty = true;
  });
}

const rows = [];
for (let at = 0; at < 40; at++) {
  rows.push(document.createElement('li'));
  document.body.append(rows[at]);
}

/** Text work on values of its own, as parsing and rendering do. */
function render(widget, boxes) {
  const words = widget.state.text.split(' ');
  const counts = {};
  for (let round = 0; round < 20; round++)
    for (const word of words) counts[word] = (counts[word] ?? 0) + word.length * (round % 5);
  const text = boxes.map((box) => `${box.at}:${box.left}`).join(' ');
  return text + Object.keys(counts).length;
}

async function handle(task) {
  for (let message = 0; message < MESSAGES; message++) {
    const widget = registry.get(`widget:${(task * 7 + message * 53) % WIDGETS}`);
    widget.update(task);
    const text = render(widget, widget.layout(2));
    if (message === 0 && task % 8 === 0) rows[task % rows.length].textContent = text;
  }
  await null;
  const widget = widgets[(task * 13) % WIDGETS];
  if (widget.dirty) widget.layout(2);
  widget.dirty = false;
  await Promise.resolve(task);
  for (let at = 0; at < 20; at++) total += widgets[(task * 17 + at) % WIDGETS].state.height;
}

const channel = new MessageChannel();
channel.port1.onmessage = ({ data }) => next(data);
function next(task) {
  handle(task);
  finished++;
  if (finished === TASKS) {
    document.title = `${total} in all`;
    return void navigator.sendBeacon('/usable', JSON.stringify(performance.now()));
  }
  if (finished % 10) channel.port2.postMessage(task + 1);
  else setTimeout(next, 0, task + 1);
}
next(0);
