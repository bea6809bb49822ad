/** The package command: builds the published package from the sources. */

import { execFile } from 'node:child_process';
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { createCommand } from '../../shared/cli/command.ts';
import { makeFolder } from '../../shared/cli/folders.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** `npm run package`. */
export function createPackageCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('package', output)
    .summary('build the package that is published')
    .description('Compiles what runs to JavaScript with its types, and packs it. Prints the path of the archive.')
    .option('--out <dir>', 'where the archive goes', '.cache')
    .action(async ({ out }: { readonly out: string }) => {
      output.out(`${await buildPackage(ROOT, path.resolve(out))}\n`);
    });
}

const BUILT = '.cache/package';
/** Files that the programs read next to their code. */
const COPIED = [
  'LICENSE',
  'README.md',
  'llms.txt',
  'SECURITY.md',
  'Containerfile',
  'docs/reference/gateway-openapi.yaml',
  'codegen/load/connector.schema.json',
  'deploy',
  '.github/workflows/tools.yml',
  '.github/workflows/watch.yml',
  'server/modules/doctor/clients/recordings',
  'scripts/init/template',
];
/** These need no declarations: nothing in them is exported. */
const WITHOUT_TYPES = ['examples', 'sandbox', 'scripts', 'shared/cli'];

const run = promisify(execFile);

/**
 * Compiles, copies and packs.
 *
 * @param root folder of the repository.
 * @param out folder for the archive.
 * @param into folder in the repository for the files to pack. Default: `.cache/package`. Concurrent builds need different folders.
 * @returns path of the archive.
 */
export async function buildPackage(root: string, out: string, into = BUILT): Promise<string> {
  const built = path.join(root, into);
  await rm(built, { recursive: true, force: true });
  await makeFolder(out, '--out');
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const project = path.join(root, 'tsconfig.package.json');
  await run(process.execPath, [tsc, '-p', project, '--outDir', built]).catch((error) => {
    throw new Error(`tsc failed:\n${(error as { stdout: string }).stdout}`);
  });
  for (const folder of WITHOUT_TYPES) await removeTypes(path.join(built, folder));
  for (const file of COPIED) await cp(path.join(root, file), path.join(built, file), { recursive: true });
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const published = buildManifest(manifest, await listImports(built));
  await writeFile(path.join(built, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  for (const program of Object.values(published.bin)) await chmod(path.join(built, program), 0o755);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out], { cwd: built });
  return path.join(out, (JSON.parse(stdout) as [{ readonly filename: string }])[0].filename);
}

async function removeTypes(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.d.ts')) await rm(path.join(entry.parentPath, entry.name));
  }
}

/** Names of the packages that the built code imports. */
async function listImports(folder: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|d\.ts)$/.test(entry.name)) continue;
    const text = await readFile(path.join(entry.parentPath, entry.name), 'utf8');
    for (const [, name = ''] of text.matchAll(
      /(?:from|import|import\(|load\(|require\()\s*['"]((?:@[\w.-]+\/)?[\w-][\w.-]*)/g,
    )) {
      names.add(name);
    }
  }
  return names;
}

interface RepositoryManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const COMMAND = './scripts/utg.js';

/**
 * Packages that the gateway needs at run time are dependencies; those that codegen, the report and the sandbox need in addition are
 * optional peers, so that a production installation can omit them.
 *
 * @param imports packages that the published code imports.
 */
export function buildManifest(repository: RepositoryManifest, imports: ReadonlySet<string>) {
  const { name, version, description, license, engines, exports, dependencies, devDependencies } = repository;
  const peers = Object.entries(devDependencies).filter(([each]) => imports.has(each) && !each.startsWith('@types/'));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { [name]: COMMAND, utg: COMMAND },
    exports: {
      ...Object.fromEntries(Object.entries(exports).map(([entry, file]) => [entry, toPublished(file)])),
      './package.json': './package.json',
    },
    dependencies,
    peerDependencies: Object.fromEntries(peers),
    peerDependenciesMeta: Object.fromEntries(peers.map(([each]) => [each, { optional: true }])),
  };
}

function toPublished(file: string): { readonly types: string; readonly default: string } {
  return { types: file.replace(/\.ts$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') };
}
