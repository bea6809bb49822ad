/** Fetches the corpus packages that nothing installs: checks their archives, and unpacks only the documents, those of recipes too. */

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { folderOf, listCopies } from './index.ts';
import { neededFiles, SOURCES, type Source } from './packages.ts';

/** Keeps packages that have all files. @throws {Error} for an archive whose content is not the expected one. */
export async function fetchSources(print: (line: string) => void): Promise<void> {
  const copies = await listCopies();
  for (const source of SOURCES) {
    const { package: name, version, integrity } = source;
    const own = copies.filter((copy) => copy.package === `${name}@${version}`).map(({ file }) => file);
    if (integrity === null || ['', ...own].every((file) => existsSync(path.join(folderOf(source), file)))) continue;
    print(`${name} ${version}: ${fetchSource(source, own)} files`);
  }
}

/** @param own files that are wanted besides the documents of the corpus. */
function fetchSource(source: Source, own: readonly string[]): number {
  const folder = path.dirname(folderOf(source));
  mkdirSync(folder, { recursive: true });
  try {
    const wanted = `${source.package}@${source.version}`;
    const name = run('npm', ['pack', '--silent', '--pack-destination', folder, wanted]).trim();
    const archive = path.join(folder, name);
    const digest = hash('sha512', readFileSync(archive), 'base64');
    if (digest !== source.integrity) throw new Error(`The archive of ${wanted} is another: its SHA-512 is ${digest}.`);
    const listed = run('tar', ['-tzf', archive]).split('\n');
    const files = neededFiles(
      source,
      listed.filter((file) => file.startsWith('package/')).map((file) => file.slice('package/'.length)),
    );
    const paths = [...new Set([...files, ...own])].map((file) => `package/${file}`).join('\n');
    run('tar', ['-xzf', archive, '-C', folder, '--files-from=-'], paths);
    rmSync(archive);
    return files.length;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function run(command: string, argv: readonly string[], input = ''): string {
  return execFileSync(command, argv, {
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 26,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
