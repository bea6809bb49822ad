/** Builds the packages for partners: JavaScript and types of each folder of `packages/` but the portal, in the version of the gateway. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const SOURCES = 'packages';
const SCRIPT = 'connect.js';
const run = promisify(execFile);

/** The script build of `packages/connect`, as text. The gateway serves the same. @param root folder of the repository. */
export async function buildConnectScript(root: string): Promise<string> {
  const input = path.join(root, SOURCES, 'connect/script.ts');
  const bundle = await rolldown({ cwd: root, input, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({
    format: 'iife',
    comments: { annotation: false, jsdoc: true, legal: true },
  });
  return output[0].code.replaceAll(/^\/\/#(end)?region.*\n/gm, '').replaceAll('\t', '  ');
}

/** The names of the packages: folders of `packages/` with a manifest. A new folder needs nothing else. */
export async function listPackages(root: string): Promise<string[]> {
  const entries = await readdir(path.join(root, SOURCES), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(path.join(entry.parentPath, entry.name, 'package.json')))
    .map(({ name }) => name);
}

/**
 * Builds and packs each package.
 *
 * @param root folder of the repository.
 * @param out folder for the archives.
 * @param into folder in the repository for the files to pack. Concurrent builds need different folders.
 * @returns paths of the archives.
 * @throws {Error} with what the compiler says.
 */
export async function buildKit(root: string, out: string, into = '.cache/packages'): Promise<readonly string[]> {
  const built = path.join(root, into);
  await rm(built, { recursive: true, force: true });
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', path.join(root, SOURCES, 'tsconfig.json'), '--outDir', built];
  await run(process.execPath, [tsc, ...options]).catch((error) => {
    throw new Error(`tsc failed:\n${(error as { stdout: string }).stdout}`);
  });
  const { version, repository } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const archives = [];
  for (const name of await listPackages(root)) {
    const [from, to] = [path.join(root, SOURCES, name), path.join(built, name)];
    await mkdir(to, { recursive: true });
    for (const file of await readdir(from)) {
      if (/(\.d\.ts|\.md)$/.test(file)) await cp(path.join(from, file), path.join(to, file));
    }
    await cp(path.join(root, 'LICENSE'), path.join(to, 'LICENSE'));
    if (name === 'connect') {
      await writeFile(path.join(to, SCRIPT), await buildConnectScript(root));
      // As a module it would not know where it came from.
      await rm(path.join(to, 'script.js'));
    }
    const manifest = JSON.parse(await readFile(path.join(from, 'package.json'), 'utf8'));
    const published = { ...manifest, version, repository };
    await writeFile(path.join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out], { cwd: to });
    archives.push(path.join(out, (JSON.parse(stdout) as [{ readonly filename: string }])[0].filename));
  }
  return archives;
}
