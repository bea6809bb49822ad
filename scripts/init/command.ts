/** The init command: creates a project with an example service in an empty folder. */

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { describeVariables } from '../../server/index.ts';
import { addHelpTable, createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';

/** `utg init`. */
export function createInitCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('init', output)
    .summary('create a project with an example service')
    .description(
      'Writes a project: an example in specs/, package.json, settings, workflows for pull requests. Overwrites nothing.',
    )
    .argument('[folder]', 'folder of the project; created if it does not exist', '.')
    .action(async (given: string) => {
      const folder = path.resolve(given);
      const name = toPackageName(path.basename(folder));
      if (name === null) throw new UsageError(`${path.basename(folder)} cannot be the name of a package.`);
      const inTheWay = findInTheWay(folder);
      if (inTheWay.length > 0) {
        throw new FailureError(`${given} has ${inTheWay.join(', ')} already. Choose another folder, or remove these.`);
      }
      const files = await writeProject(folder, name);
      output.out(`Wrote ${files.length} files to ${folder}. Next:\n`);
      const enter = folder === process.cwd() ? [] : [`cd ${path.relative(process.cwd(), folder)}`];
      for (const line of [...enter, 'npm install', 'npm run codegen', 'npm run demo']) output.out(`  ${line}\n`);
    });
  return addHelpTable(command, 'Examples', { 'npx unified-tool-gateway init my-gateway': 'in a new folder' });
}

const TEMPLATE = path.join(import.meta.dirname, 'template');
const REPOSITORY = path.join(import.meta.dirname, '../..');
/** Files of the repository that a new project uses unchanged, except for the path of the program. */
const SHARED_FILES = ['.github/workflows/tools.yml', '.github/workflows/watch.yml'];
const PROGRAM = { from: 'scripts/utg.ts', to: 'node_modules/.bin/utg' };
/** npm omits files with this name from packages. */
const IGNORED = { from: 'gitignore', to: '.gitignore' };
const WIDTH = 100;

/** Returns the entries of the folder that the project would create too. */
function findInTheWay(folder: string): string[] {
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
    'deploy',
  ].filter((name) => existsSync(path.join(folder, name)));
}

/** @returns paths of the files, relative to the folder. */
async function writeProject(folder: string, name: string): Promise<string[]> {
  const files = new Map<string, string>();
  for (const [from, base] of [
    [TEMPLATE, TEMPLATE],
    [path.join(REPOSITORY, 'deploy'), REPOSITORY],
  ] as const) {
    for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const text = await readFile(file, 'utf8');
      const target = path.relative(base, file);
      files.set(target === IGNORED.from ? IGNORED.to : target, withRules(text.replaceAll('__NAME__', name)));
    }
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

/** Settings that a new project has from the start. They are not defaults, so that a gateway that already runs keeps its behaviour. */
const SET_FROM_THE_START: Readonly<Record<string, string>> = { APPROVALS: 'destroy,send,pay', CONSENT: 'need' };

/** Adds the same settings to the samples that set variables themselves, below the address. */
function withRules(text: string): string {
  return text.replace(/^( +)PUBLIC_URL: .*\n/m, (address, indent: string) =>
    [address, ...Object.entries(SET_FROM_THE_START).map(([name, value]) => `${indent}${name}: ${value}\n`)].join(''),
  );
}

/** Lists every setting, commented out unless a new project has it set. */
function toSettings(): string {
  const settings = describeVariables([]).map(({ name, default: value, meaning }) => {
    const set = SET_FROM_THE_START[name];
    const line = set === undefined ? `#${name}=` : `${name}=${set}`;
    return [...wrap(`${meaning} Default: ${value || 'none'}.`).map((text) => `# ${text}`), line].join('\n');
  });
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

/** Commands that have their own script, as in the gateway's own repository. `npm run utg --` runs every command. */
const SCRIPTS = ['start', 'demo', 'codegen', 'tools:diff'];

/** Returns the name without scope. Null for a name that npm would refuse. */
function toPackageName(folder: string): string | null {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return name === '' || name.length > 214 || name === manifest.name ? null : name;
}

/**
 * Scripts have the same names as in the gateway's own repository, so that every message and document applies to both.
 *
 * The packages that only codegen, the sandbox and the types need are development dependencies: `npm ci --omit=dev` omits them.
 */
function buildManifest(name: string): object {
  const { codegenPackages, typePackages } = manifest as Readonly<Record<string, unknown>>;
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: manifest.engines,
    scripts: {
      ...Object.fromEntries(SCRIPTS.map((command) => [command, `utg ${command}`])),
      utg: 'utg',
      typecheck: 'tsc',
    },
    dependencies: { [manifest.name]: `^${manifest.version}`, 'openapi-fetch': manifest.dependencies['openapi-fetch'] },
    devDependencies: Object.assign({}, codegenPackages, typePackages),
  };
}
