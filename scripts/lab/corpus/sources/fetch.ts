/** Fetches the corpus packages that nothing installs: checks their archives, and unpacks only the documents. */

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { folderOf } from './index.ts';
import { neededFiles, SOURCES, type Source } from './packages.ts';

/** Keeps existing packages. @throws {Error} for an archive whose content is not the expected one. */
export function fetchSources(print: (line: string) => void): void {
  for (const source of SOURCES) {
    if (source.integrity === null || existsSync(folderOf(source))) continue;
    print(`${source.package} ${source.version}: ${fetchSource(source)} files`);
  }
}

function fetchSource(source: Source): number {
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
    const paths = files.map((file) => `package/${file}`).join('\n');
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
