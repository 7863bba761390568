// A script overwrites what the user has entered, or takes the focus away.

const saved = (set) => `fetch('/api/text?ms=60&q=saved').then((r) => r.text()).then((text) => { ${set} });`;

export const forms = [
  {
    name: 'form-draft',
    location: /#name\.value/,
    hint: 'form-overwritten',
    body: '<input id="name">',
    script: saved('document.getElementById("name").value = text;'),
    fixed: saved('const field = document.getElementById("name"); if (field.value === "") field.value = text;'),
    steps: 'wait 400\ntype #name Ada\nwait 300\n',
  },
  {
    name: 'form-async-default',
    location: /#city\.value/,
    hint: 'form-overwritten',
    body: '<input id="city"><script async src="/delay/120/own.js"></script>',
    own: `document.getElementById('city').value = 'Paris';`,
    fixedBody: '<input id="city" value="Paris">',
    steps: 'wait 400\ntype #city Rome\nwait 300\n',
  },
  {
    name: 'form-textarea',
    location: /#note\.value/,
    hint: 'form-overwritten',
    body: '<textarea id="note"></textarea>',
    script: `setTimeout(() => { note.value = localStorage.getItem('draft') || 'Dear '; }, 150);`,
    fixed: `note.value = localStorage.getItem('draft') || 'Dear ';`,
    steps: 'wait 400\ntype #note Hello\nwait 300\n',
  },
  {
    name: 'form-jquery-val',
    location: /#name\.value/,
    hint: 'form-overwritten',
    libraries: ['jquery.js'],
    body: '<input id="name">',
    script: `$.get('/api/text?ms=60&q=saved', function (text) { $('#name').val(text); });`,
    fixed: `$.get('/api/text?ms=60&q=saved', function (text) { if (!touched) $('#name').val(text); });
var touched = false;
$('#name').on('input', function () { touched = true; });`,
    steps: 'wait 400\ntype #name Ada\nwait 300\n',
  },
  {
    name: 'form-checkbox',
    location: /#news\.checked/,
    hint: 'form-overwritten',
    body: '<label><input type="checkbox" id="news"> News</label>',
    script: saved('news.checked = text === "yes";'),
    fixed: `let touched = false;
news.addEventListener('change', () => { touched = true; });
${saved('if (!touched) news.checked = text === "yes";')}`,
    steps: 'wait 400\nclick #news\nwait 300\n',
  },
  {
    name: 'form-radio',
    location: /#(red|blue)\.checked/,
    hint: 'form-overwritten',
    body: '<input type="radio" name="c" id="red"><input type="radio" name="c" id="blue">',
    script: saved('red.checked = true;'),
    fixed: `let chosen = false;
const choose = () => { chosen = true; };
red.addEventListener('change', choose);
blue.addEventListener('change', choose);
${saved('if (!chosen) red.checked = true;')}`,
    steps: 'wait 400\nclick #blue\nwait 300\n',
  },
  {
    name: 'form-select',
    location: /#size\.value|selected/,
    hint: 'form-overwritten',
    body: '<select id="size"><option value="s">S</option><option value="m">M</option><option value="l">L</option></select>',
    script: saved('document.getElementById("size").value = "l";'),
    fixedBody:
      '<select id="size"><option value="s">S</option><option value="m">M</option><option value="l" selected>L</option></select>',
    fixed: '',
    steps: 'wait 400\nselect #size m\nwait 300\n',
  },
  {
    name: 'form-reset',
    location: /#message\.value/,
    hint: 'form-overwritten',
    body: '<form id="chat"><input id="message"><button id="send" type="button">Send</button></form>',
    script: `send.onclick = async () => {
  await fetch('/api/text?ms=60&q=' + message.value, { method: 'POST' });
  message.value = '';
};`,
    fixed: `send.onclick = () => {
  const text = message.value;
  message.value = '';
  fetch('/api/text?ms=60&q=' + text, { method: 'POST' });
};`,
    steps: 'type #message one\nclick #send\nwait 400\ntype #message two\nwait 300\n',
  },
  {
    name: 'focus-stolen',
    location: /document\.activeElement/,
    body: '<input id="first"><input id="second">',
    script: `setTimeout(() => first.focus(), 150);`,
    fixed: `setTimeout(() => { if (document.activeElement === document.body) first.focus(); }, 150);`,
    steps: 'wait 500\nclick #second\nwait 300\n',
  },
];
