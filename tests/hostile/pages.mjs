// The hostile pages. Each is `[name, page]`; a page has
//   files:   path -> body, or (request, response) => void
//   other:   the files of a second origin; `ORIGIN` and `OTHER` in bodies stand for the two origins
//   time:    how long the page is recorded, in seconds (by default 3)
//   load:    how long it may take to load, in seconds (by default 10)
//   status:  the exit status that is expected (0, 1 or 2; by default 0 or 1)
//   seconds: how long the recording may take in all (by default 25)
//   memory:  how many MB the recorder and its own processes may take at most (by default 700)
//   holds:   (seen) => void, what else must hold; `seen` has `text` (the trace), `stderr`, `asked` (the paths
//            that the servers got) and `events`
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';

const html = (body) => ['text/html; charset=utf-8', body];
const js = (body) => ['text/javascript; charset=utf-8', body];
const page = (script, more = '') => html(`<!doctype html><title>t</title>${more}<script>${script}</script>`);

/** A page that records something after its attack, so that the recording shows that it went on. */
const WENT_ON = 'setTimeout(() => { window.wentOn = 1 }, 100);';
const wentOn = ({ text }) => assert.match(text, /write Window\.wentOn/);
const nothingAsked = ({ asked }) =>
  assert.deepEqual(
    asked.filter((path) => path.includes('__interloper__')),
    [],
  );

/** A script that nests on each of `levels`, and one that shows that the page goes on without it. */
const deep = (source) => ({
  files: { '/': html(`<script src=deep.js></script><script>${WENT_ON}</script>`), '/deep.js': js(source) },
  holds: wentOn,
});

export const PAGES = {
  // Rewriting.
  'calls with objects, 200,000 levels': deep(`a${'({})'.repeat(200_000)}`),
  'loops in loops, 300,000 levels': deep(`if(0)${'for(;;)'.repeat(300_000)};`),
  'brackets that strings close, 1,000,000 levels': {
    ...deep(`x=${'["]",'.repeat(1_000_000)}1`),
    load: 20,
    memory: 1500,
  },
  'promises, 20,000 levels': deep(`p${'.then(function(){})'.repeat(20_000)}`),
  'patterns with defaults, which the parser reads again and again': {
    ...deep(`x=${'({a='.repeat(3000)}1${'})=>0'.repeat(3000)}`),
    seconds: 40,
    load: 20,
    memory: 3000,
  },
  'assignments to patterns': {
    ...deep(`${'({a:b='.repeat(4000)}1${'}=0)'.repeat(4000)}`),
    seconds: 40,
    load: 20,
    memory: 3000,
  },
  'evaluated code without end': {
    files: {
      '/': page(
        `setTimeout(() => { const end = Date.now() + 3000; let n = 0; while (Date.now() < end) (0, eval)('n' + n++ + '=1'); ${WENT_ON} })`,
      ),
    },
    holds: wentOn,
  },

  // Origins.
  'another origin asks for the scripts of the page': {
    files: {
      '/': page("var token = 'secret-of-the-page'; eval('1'); setTimeout(() => location = 'OTHER/', 200)"),
    },
    other: {
      '/': page(`
        eval('1');
        const path = performance.getEntriesByType('resource').map((entry) => entry.name)
          .find((name) => name.includes('__interloper__')).replace(/rewrite$/, 'source/');
        const ask = (url) => { try { const request = new XMLHttpRequest(); request.open('GET', url, false);
          request.send(); return request.status === 200 ? request.responseText : '' } catch { return '' } };
        let found = '';
        for (let n = 0; n < 100; n++) found += ask(path + n) + ask('/__interloper__/source/' + n)
          + ask('ORIGIN/__interloper__/source/' + n);
        window.stolen = found.includes('secret-of') ? 'stolen' : 'nothing';
        fetch('/said?' + window.stolen)`),
    },
    time: 6,
    holds: ({ asked, text }) => {
      assert.ok(asked.includes('/said?nothing'), asked.join());
      assert.match(text, /Window\.stolen/);
      nothingAsked({ asked });
    },
  },
  'requests for the reserved path, with and without a body': {
    files: {
      '/': page(`(async () => {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'])
          for (const path of ['', 'rewrite', 'source/0', 'runtime', 'connect', 'x/y/z', '%2e%2e/x'])
            await fetch('/__interloper__/' + path, { method }).catch(() => {});
        navigator.sendBeacon('/__interloper__/rewrite'); new Image().src = '/__interloper__/x';
        window.wentOn = 1 })()`),
    },
    holds: (seen) => {
      wentOn(seen);
      nothingAsked(seen);
    },
  },
  'code is made until the end of the recording': {
    files: {
      '/': page("let n = 0; setInterval(() => { for (let i = 0; i < 20; i++) new Function('return ' + n++)() }, 0)"),
    },
    holds: nothingAsked,
  },

  // Memory and time.
  'a source map with a long root and many sources': {
    files: {
      '/': html(`<script src=a.js></script><script>${WENT_ON}</script>`),
      '/a.js': js('window.a = 1\n//# sourceMappingURL=a.map'),
      '/a.map': [
        'application/json',
        JSON.stringify({
          version: 3,
          sourceRoot: 'r'.repeat(500_000),
          sources: Array(100_000).fill('a'),
          mappings: 'AAAA',
        }),
      ],
    },
    holds: wentOn,
  },
  'a source map without end': {
    files: {
      '/': html(`<script src=a.js></script><script>${WENT_ON}</script>`),
      '/a.js': js('window.a = 1\n//# sourceMappingURL=a.map'),
      '/a.map': (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const chunk = ' '.repeat(1 << 16);
        const timer = setInterval(() => response.write(chunk), 5);
        response.on('close', () => clearInterval(timer));
      },
    },
    seconds: 40,
    holds: wentOn,
  },
  'a document of 300 MB': {
    files: {
      '/': (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' });
        response.write(`<script>${WENT_ON}</script><p>`);
        const chunk = Buffer.alloc(1 << 20, 'x');
        for (let n = 0; n < 300; n++) response.write(chunk);
        response.end();
      },
    },
    // Showing it takes the browser longer than the test waits.
    status: [0, 1, 2],
    seconds: 40,
    memory: 1500,
    holds: ({ stderr }) => {
      assert.match(stderr, /too-long: index\.html/);
      assert.doesNotMatch(stderr, /was closed|exited/);
    },
  },
  'a script that is packed a thousandfold': {
    files: {
      '/': html(`<script src=a.js></script><script>${WENT_ON}</script>`),
      '/a.js': (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/javascript', 'Content-Encoding': 'gzip' });
        response.end(gzipSync(Buffer.alloc(60 << 20, ' ')));
      },
    },
    seconds: 40,
    memory: 1500,
    holds: wentOn,
  },
  '20,000 handlers in one line': {
    files: { '/': html(`${'<b onclick="a.b=1"></b>'.repeat(20_000)}<script>${WENT_ON}</script>`) },
    load: 25,
    seconds: 45,
    holds: wentOn,
  },
  'a file name of 100,000 characters': {
    files: {
      '/': html(`<script src="${'x'.repeat(100_000)}.js"></script><script>${WENT_ON}</script>`),
      [`/${'x'.repeat(100_000)}.js`]: js('(() => { window.a = () => () => { window.b = 1 } })()()();'.repeat(200)),
    },
    holds: wentOn,
  },
  'names without end': {
    files: {
      '/': page(
        `setTimeout(() => { const o = {}; const end = Date.now() + 2000; let n = 0; while (Date.now() < end) o['k'.repeat(500) + n++] = n; window.o = o; ${WENT_ON} })`,
      ),
    },
    seconds: 40,
    holds: wentOn,
  },

  // The page itself.
  'microtasks without end': {
    files: { '/': page('window.began = 1; setTimeout(() => { (function f() { Promise.resolve().then(f) })() }, 100)') },
    memory: 2000,
    holds: ({ text }) => assert.match(text, /write Window\.began/),
  },
  'a loop without end': {
    files: { '/': page('window.began = 1; setTimeout(() => { for (;;); }, 100)') },
    holds: ({ text }) => assert.match(text, /write Window\.began/),
  },
  'dialogs without end': {
    files: { '/': page('window.began = 1; setInterval(() => { alert(1); confirm(2); prompt(3) }, 1)') },
    holds: ({ text }) => assert.match(text, /write Window\.began/),
  },
  'timers and messages without end': {
    files: {
      '/': page(
        "window.began = 1; onmessage = () => postMessage(1, '*'); for (let i = 0; i < 50; i++) postMessage(1, '*'); setInterval(() => { window.n = (window.n || 0) + 1 }, 0)",
      ),
    },
    seconds: 40,
  },
  'requests without end': {
    files: {
      '/': page(
        "window.began = 1; setInterval(() => { for (let i = 0; i < 20; i++) fetch('/x?' + Math.random()).catch(() => {}) }, 5)",
      ),
      '/x': ['text/plain', 'x'],
    },
    seconds: 40,
  },
  'navigation without end': {
    files: { '/': page("window.began = 1; setTimeout(() => location = '/?' + Math.random(), 5)") },
    seconds: 40,
  },
  'windows without end': {
    files: { '/': page("window.began = 1; setInterval(() => { open('/?' + Math.random()) }, 50)") },
    time: 2,
    seconds: 40,
    memory: 1500,
  },
  'frames in frames': {
    files: {
      '/': page(
        "window.began = 1; if (location.search.length < 40) document.write('<iframe src=\"' + (location.search || '?') + 'x\">')",
      ),
    },
    seconds: 40,
  },
  'built-ins that are deleted, replaced and proxied': {
    files: {
      '/': page(`window.began = 1;
        for (const name of ['XMLHttpRequest', 'Promise', 'Map', 'WeakMap', 'Proxy', 'Reflect', 'JSON', 'Symbol', 'Array'])
          { try { window[name] = new Proxy(window[name], { get() { throw 1 }, apply() { throw 2 }, construct() { throw 3 } }) } catch {} }
        for (const holder of [Object.prototype, Function.prototype, String.prototype, EventTarget.prototype, Node.prototype])
          for (const key of Object.getOwnPropertyNames(holder)) { try { delete holder[key] } catch {} }
        try { Object.prototype.get = () => { throw 4 }; Object.prototype.value = 5 } catch {}
        try { delete window.__il; window.__il = null; window.__il_send = null } catch {}
        setTimeout(() => { window.after = 1 }, 10)`),
    },
  },
  'lines that the page forges': {
    files: {
      '/': page(`window.began = 1;
        for (const name of Object.getOwnPropertyNames(window).filter((name) => name.startsWith('__il'))) {
          for (const line of ['begin r1.1', 'end', 'read ' + 'x'.repeat(1e6), '*\\u0000', '=0 x', '=0 y', '=1 0 z', '*4P0',
            'interloper-trace 1', '\\x1b]0;owned\\x07', '# diagnostic \\x1b[31mred text', 'write x value="\\x1b[2J"', '=4294967296 x'])
            { try { window[name](line) } catch {} try { window[name](line.repeat(50)) } catch {} }
          try { window[name]({}) } catch {}
        }
        ${WENT_ON}`),
    },
    holds: (seen) => {
      wentOn(seen);
      assert.ok(!seen.stderr.includes('\x1b'), JSON.stringify(seen.stderr));
    },
  },
  'charsets that do not fit': {
    files: {
      '/': [
        'text/html; charset=utf-7',
        `+ADw-script+AD4-window.seven=1+ADw-/script+AD4-<script src=a.js charset=utf-16></script><script>${WENT_ON}</script>`,
      ],
      '/a.js': ['text/javascript; charset=x-no-such', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00, 0xc3, 0x28])],
    },
    holds: wentOn,
  },
  'a server that asks for a password again and again': {
    files: {
      '/': (_, response) => {
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"', 'Content-Type': 'text/html' });
        response.end('<script>window.began = 1</script>');
      },
    },
    status: [0, 1, 2],
  },
  'a page that crashes': {
    files: {
      '/': page(
        "window.began = 1; setTimeout(() => location = 'chrome://crash', 100); setTimeout(() => { const a = []; for (;;) a.push(new Array(1e6).fill(a)) }, 300)",
      ),
    },
    status: [0, 1, 2],
    seconds: 40,
    memory: 1500,
  },
  'a page that closes itself': {
    files: { '/': page('window.began = 1; setTimeout(() => close(), 100)') },
    status: [0, 1, 2],
  },
  'a viewer of the browser itself': {
    files: {
      '/': html(
        `<iframe src=a.pdf></iframe><embed src=a.pdf type=application/pdf><iframe src="http://127.0.0.1:1/"></iframe><script>${WENT_ON}</script>`,
      ),
      '/a.pdf': [
        'application/pdf',
        '%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj trailer<</Root 1 0 R>>',
      ],
    },
    holds: (seen) => {
      wentOn(seen);
      assert.doesNotMatch(seen.text, /chrome-extension|pdf_viewer|chrome-error/);
    },
  },
  'a source map that names files of the machine': {
    files: {
      '/': html(`<script src=a.js></script><script>${WENT_ON}</script>`),
      '/a.js': js(
        "fetch('/x').then(() => { window.raced = 1 }); fetch('/y').then(() => { window.raced = 2 })\n//# sourceMappingURL=a.map",
      ),
      '/a.map': ['application/json', JSON.stringify({ version: 3, sources: ['/.env'], mappings: 'AAAA' })],
    },
    beside: { '.env': 'PASSWORD=of-the-machine\n' },
    holds: (seen) => {
      wentOn(seen);
      assert.ok(!seen.stdout.includes('of-the-machine'), seen.stdout);
    },
  },
};
