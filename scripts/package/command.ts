/** The package command: builds the published package, and what the image has, from the sources. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { createCommand } from '../../shared/cli/command.ts';
import { makeFolder } from '../../shared/cli/folders.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { BUNDLE, writeBundle } from './bundle.ts';
import { buildKit } from './kit.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** `npm run package`. */
export function createPackageCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('package', output)
    .summary('build the packages that are published')
    .description(
      'Bundles what runs, adds the types of its entries, and packs it; the packages for partners too. Prints the paths of the archives.',
    )
    .option('--out <dir>', 'where the archives go', '.cache')
    .option('--image <dir>', 'write what the image has into a folder instead: no types, with the packages it runs on')
    .action(async ({ out, image }: { readonly out: string; readonly image?: string }) => {
      if (image !== undefined) await writeImage(ROOT, path.resolve(image));
      else {
        const gateway = await buildPackage(ROOT, path.resolve(out));
        output.out(`${[gateway, ...(await buildKit(ROOT, path.resolve(out)))].join('\n')}\n`);
      }
    });
}

const BUILD_FOLDER = '.cache/package';
const COMMAND = 'scripts/utg.ts';
/** Files that a gateway reads next to its code. */
const RUNTIME_FILES = [
  'docs/reference/gateway-openapi.yaml',
  'codegen/load/connector.schema.json',
  'server/base/pages/style.css',
  'server/modules/landing/viewer',
];
/** Files that are read by people, by `utg init` and by `utg add`. */
const EXTRA_FILES = [
  'LICENSE',
  'README.md',
  'llms.txt',
  'SECURITY.md',
  'deploy',
  '.github/workflows/tools.yml',
  '.github/workflows/watch.yml',
  'scripts/init/template',
  'scripts/connector/recipes',
];

const run = promisify(execFile);

/**
 * Bundles, copies and packs.
 *
 * @param root folder of the repository.
 * @param out folder for the archive.
 * @param into folder in the repository for the files to pack. Default: `.cache/package`. Concurrent builds need different folders.
 * @returns path of the archive.
 */
export async function buildPackage(root: string, out: string, into = BUILD_FOLDER): Promise<string> {
  const built = path.join(root, into);
  await rm(built, { recursive: true, force: true });
  await makeFolder(out, '--out');
  const { exports } = await readManifest(root);
  await writeTypes(root, built, Object.values(exports));
  for (const file of EXTRA_FILES) await cp(path.join(root, file), path.join(built, file), { recursive: true });
  await writeProgram(root, built);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out], { cwd: built });
  return path.join(out, (JSON.parse(stdout) as [{ readonly filename: string }])[0].filename);
}

/** Writes the gateway and the installed packages that it runs on, those that only a setting asks for included. */
async function writeImage(root: string, to: string): Promise<void> {
  const { dependencies, peerDependencies } = await writeProgram(root, to);
  const copiedFolders = new Set<string>();
  const queue = Object.keys({ ...dependencies, ...peerDependencies }).map((name) => findPackage(root, name));
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    if (copiedFolders.has(folder)) continue;
    copiedFolders.add(folder);
    await cp(folder, path.join(to, path.relative(root, folder)), { recursive: true });
    const { dependencies: needed = {} } = await readManifest(folder);
    for (const name of Object.keys(needed)) queue.push(findPackage(folder, name));
  }
}

/** Returns the folder in which Node would find a package. */
function findPackage(from: string, name: string): string {
  const folder = path.join(from, 'node_modules', name);
  return existsSync(folder) || path.dirname(from) === from ? folder : findPackage(path.dirname(from), name);
}

async function readManifest(folder: string): Promise<RepositoryManifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
}

/** Writes the bundle, what it reads, and the manifest of the package. @param more entries of the bundle, by name. Default: none. */
export async function writeProgram(
  root: string,
  to: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ReturnType<typeof buildManifest>> {
  const manifest = await readManifest(root);
  const entries = Object.entries({ utg: COMMAND, ...manifest.exports }).map(([entry, file]) => [nameOf(entry), file]);
  const peers = Object.keys(manifest.devDependencies);
  const bundledFolders = await writeBundle(root, to, { entries: { ...Object.fromEntries(entries), ...more }, peers });
  await writeFile(path.join(to, 'THIRD-PARTY-LICENSES.txt'), await readLicences(bundledFolders));
  for (const file of RUNTIME_FILES) await cp(path.join(root, file), path.join(to, file), { recursive: true });
  const imports = { code: await listImports(to, '.js'), types: await listImports(to, '.d.ts') };
  const publishedManifest = buildManifest(manifest, imports);
  await writeFile(path.join(to, 'package.json'), `${JSON.stringify(publishedManifest, null, 2)}\n`);
  for (const program of Object.values(publishedManifest.bin)) await chmod(path.join(to, program), 0o755);
  return publishedManifest;
}

/** Writes the declarations that entries refer to, from one file to the next. */
async function writeTypes(root: string, built: string, entries: readonly string[]): Promise<void> {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const all = `${built}-types`;
  const options = ['-p', path.join(root, 'tsconfig.package.json'), '--outDir', all];
  await run(process.execPath, [tsc, ...options]).catch((error) => {
    throw new Error(`tsc failed:\n${(error as { stdout: string }).stdout}`);
  });
  const writtenFiles = new Set<string>();
  const queue = entries.map((file) => path.join(all, toDeclaration(file)));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (writtenFiles.has(file)) continue;
    writtenFiles.add(file);
    const text = await readFile(file, 'utf8');
    await cp(file, path.join(built, path.relative(all, file)));
    for (const [, other = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
      queue.push(`${path.resolve(path.dirname(file), other)}.d.ts`);
  }
  await rm(all, { recursive: true });
}

/** Returns the licences of bundled packages, which require that they are passed on. */
async function readLicences(folders: Iterable<string>): Promise<string> {
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : (await readFile(path.join(folder, file), 'utf8')).trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the names of the packages that the built files with this ending import. */
async function listImports(folder: string, ending: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(ending)) continue;
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
  readonly engines: Packages;
  readonly exports: Packages;
  /** Set where the package is published: a provenance statement must name it. */
  readonly repository?: unknown;
  readonly dependencies: Packages;
  readonly devDependencies: Packages;
  readonly peerDependencies: Packages;
  readonly peerDependenciesMeta: Readonly<Record<string, object>>;
}

/** Imported by generated code, for hand-written tools. */
const OF_GENERATED_CODE = 'openapi-fetch';

/**
 * Dependencies are the packages that a gateway needs and that are not bundled; what a setting asks for is an optional peer. All others belong to
 * a project's development: `codegenPackages` are those of codegen, the report and the sandbox, `typePackages` those whose types are
 * public. They are no peers, because npm would install a peer that is a development dependency with `--omit=dev` too.
 *
 * @param imports packages that the published code and its types import.
 */
function buildManifest(
  repository: RepositoryManifest,
  { code, types }: Readonly<Record<'code' | 'types', ReadonlySet<string>>>,
) {
  const { name, version, description, license, engines, exports, peerDependencies } = repository;
  const needed = select(repository.dependencies, (each) => code.has(each) || each === OF_GENERATED_CODE);
  const command = `./${toBundled('utg')}`;
  return {
    name,
    version,
    description,
    license,
    repository: repository.repository,
    type: 'module',
    engines,
    bin: { [name]: command, utg: command },
    exports: {
      ...Object.fromEntries(
        Object.entries(exports).map(([entry, file]) => [
          entry,
          { types: `./${toDeclaration(file)}`, default: `./${toBundled(nameOf(entry))}` },
        ]),
      ),
      './package.json': './package.json',
    },
    dependencies: needed,
    peerDependencies,
    peerDependenciesMeta: repository.peerDependenciesMeta,
    codegenPackages: select(repository.devDependencies, (each) => code.has(each) && !(each in peerDependencies)),
    typePackages: select(repository.dependencies, (each) => types.has(each) && !(each in needed)),
  };
}

type Packages = Readonly<Record<string, string>>;

function select(packages: Packages, isWanted: (name: string) => boolean): Packages {
  return Object.fromEntries(Object.entries(packages).filter(([name]) => isWanted(name)));
}

/** Returns the name of the bundled file for an entry such as `./contract`. */
function nameOf(entry: string): string {
  return entry === '.' ? 'index' : path.basename(entry);
}

function toBundled(name: string): string {
  return `${BUNDLE}/${name}.js`;
}

function toDeclaration(file: string): string {
  return path.join(file.replace(/\.ts$/, '.d.ts'));
}
