// Installs the applications of packages.json into target/real-apps: exact versions of what is named there, and
// for everything else that npm installs, the newest versions before a fixed date. No installed package runs a
// script of its own while it is installed.
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { run } from './processes.mjs';

const here = new URL('./', import.meta.url).pathname;
export const place = new URL('../../target/real-apps/', import.meta.url).pathname;
const manifest = JSON.parse(await readFile(`${here}packages.json`, 'utf8'));
const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** The text of an installed application's stamp, which changes with what is to be installed. */
const stampOf = (wanted) => createHash('sha256').update(JSON.stringify(wanted)).digest('hex');

/** Unpacks the folder of a package that holds the template of a project. */
async function copyTemplate(template, folder) {
  const [, name, inside] = /^([^/]+)\/(.*)/.exec(template);
  const packed = `${place}templates/${name}`;
  await mkdir(packed, { recursive: true });
  const files = await readdir(packed);
  if (!files.includes('package')) {
    await run('npm', ['pack', '--silent', name], { cwd: packed });
    const archive = (await readdir(packed)).find((file) => file.endsWith('.tgz'));
    await run('tar', ['-xzf', archive], { cwd: packed });
  }
  await cp(`${packed}/package/${inside}`, folder, { recursive: true });
}

async function fromNpm(name, { template, dependencies }, folder, log) {
  if (template) await copyTemplate(template, folder);
  const project = { name, private: true, dependencies };
  // The project of a template may need modules, and one without a template serves files only.
  if (/^(create-vite|sv)@/.test(template)) project.type = 'module';
  await writeFile(`${folder}package.json`, JSON.stringify(project));
  await run('npm', ['install', `--before=${manifest.before}`, ...npmFlags], { cwd: folder, log });
}

async function fromPyPI(packages, folder, log) {
  await run('python3', ['-m', 'venv', `${folder}venv`], { log });
  const exact = Object.entries(packages).map(([name, version]) => `${name}==${version}`);
  const flags = ['--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
  // starts: own
  await run(`${folder}venv/bin/python`, ['-m', 'pip', 'install', ...flags, ...exact], { log });
}

/** Unpacks Debian packages without installing them on the machine. */
async function fromDebian(packages, folder, log) {
  for (const { package: name, version, sha256 } of packages) {
    await run('apt-get', ['download', '-q', `${name}=${version}`], { cwd: folder, log });
    const file = (await readdir(folder)).find((file) => file.startsWith(`${name}_`));
    const sum = createHash('sha256')
      .update(await readFile(`${folder}${file}`))
      .digest('hex');
    if (sum !== sha256) throw new Error(`${file} has the SHA-256 ${sum}, but packages.json expects ${sha256}`);
    await run('dpkg-deb', ['-x', file, 'root'], { cwd: folder, log });
  }
}

/**
 * Installs an application unless it is installed already. `prepare` is called with the application's folder
 * after the installation, for example to build it; `key` changes when what it does changes. Returns the folder.
 */
export async function install(name, { key = '', prepare } = {}) {
  const folder = `${place}${name}/`;
  const [kind, wanted] = ['npm', 'pypi', 'debian']
    .map((kind) => [kind, manifest[kind][name]])
    .find(([, wanted]) => wanted);
  const stamp = stampOf([kind, wanted, manifest.before, key]);
  const stampFile = `${folder}.installed`;
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return folder;
  process.stderr.write(`${name}: installing from ${kind}\n`);
  const started = Date.now();
  const progress = setInterval(() => {
    process.stderr.write(`${name}: still installing, ${Math.round((Date.now() - started) / 1000)} s\n`);
  }, 15_000);
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const log = `${dirname(folder)}/${name}.install.log`;
    if (kind === 'npm') await fromNpm(name, wanted, folder, log);
    if (kind === 'pypi') await fromPyPI(wanted, folder, log);
    if (kind === 'debian') await fromDebian(wanted, folder, log);
    await prepare?.(folder, log);
    await writeFile(stampFile, stamp);
  } finally {
    clearInterval(progress);
  }
  return folder;
}
