// Octane's suites, by name, with the files of each.
export const suites = {
  richards: ['richards'],
  deltablue: ['deltablue'],
  crypto: ['crypto'],
  raytrace: ['raytrace'],
  earleyBoyer: ['earley-boyer'],
  regexp: ['regexp'],
  splay: ['splay'],
  navierStokes: ['navier-stokes'],
  pdfjs: ['pdfjs'],
  gameboy: ['gbemu-part1', 'gbemu-part2'],
  box2d: ['box2d'],
  typescript: ['typescript', 'typescript-input', 'typescript-compiler'],
};

/** The folder of Octane's files. */
export const folder = new URL('lib/octane/', import.meta.resolve('benchmark-octane/package.json'));

/** The markup of a page that runs a suite. */
export function markup(name) {
  const scripts = ['base', ...suites[name]].map((file) => `<script src="/${file}.js"></script>`);
  return `<!doctype html><title>${name}</title><link rel="icon" href="data:,">${scripts.join('')}<script src="/page.js"></script>`;
}
