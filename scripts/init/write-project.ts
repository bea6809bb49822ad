/** The files of a new project. */

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeVariables } from '../../server/index.ts';
import { buildManifest } from './manifest.ts';

const TEMPLATE = path.join(import.meta.dirname, 'template');
const REPOSITORY = path.join(import.meta.dirname, '../..');
/** Files of the repository that a new project uses unchanged, except for the path of the program. */
const SHARED_FILES = ['.github/workflows/tools.yml', '.github/workflows/watch.yml', 'Containerfile'];
const PROGRAM = { from: 'scripts/utg.ts', to: 'node_modules/.bin/utg' };
/** npm omits files with this name from packages. */
const IGNORED = { from: 'gitignore', to: '.gitignore' };
const WIDTH = 100;

/** Entries of the folder that the project would create too. */
export function findInTheWay(folder: string): string[] {
  return [
    'package.json',
    'specs',
    'generated',
    'tsconfig.json',
    '.gitignore',
    '.env.example',
    'README.md',
    'Containerfile',
    '.dockerignore',
  ].filter((name) => existsSync(path.join(folder, name)));
}

/** @returns paths of the files, relative to the folder. */
export async function writeProject(folder: string, name: string): Promise<string[]> {
  const files = new Map<string, string>();
  for (const entry of await readdir(TEMPLATE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    const target = path.relative(TEMPLATE, file);
    files.set(target === IGNORED.from ? IGNORED.to : target, text.replaceAll('__NAME__', name));
  }
  for (const file of SHARED_FILES) {
    const text = await readFile(path.join(REPOSITORY, file), 'utf8');
    files.set(file, text.replaceAll(PROGRAM.from, PROGRAM.to));
  }
  files.set('package.json', `${JSON.stringify(buildManifest(name), null, 2)}\n`);
  files.set('.env.example', toSettings());
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text, { flag: 'wx' });
  }
  return [...files.keys()].sort();
}

/** Lists every setting, commented out. */
function toSettings(): string {
  const settings = describeVariables([]).map(({ name, default: value, meaning }) =>
    [...wrap(`${meaning} Default: ${value || 'none'}.`).map((line) => `# ${line}`), `#${name}=`].join('\n'),
  );
  return `# Settings of the gateway. Copy this file to .env; variables of the environment override it.\n\n${settings.join('\n\n')}\n`;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
