/**
 * Gives the unreleased changes the heading of the version in package.json: `npm run release` runs this before it commits. With `--check`,
 * only checks whether there is something to release.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };

const FILE = path.resolve(import.meta.dirname, '../CHANGELOG.md');

const UNRELEASED = '## Unreleased\n';

/**
 * Moves the entries under "Unreleased" to a version's heading, and leaves "Unreleased" empty above it.
 *
 * @param day of the release, such as `2026-12-01`.
 * @throws {Error} if there are no entries, or the version already has a heading.
 */
export function nameUnreleased(changelog: string, version: string, day: string): string {
  const start = changelog.indexOf(`\n${UNRELEASED}`) + 1;
  if (start === 0) throw new Error('CHANGELOG.md has no heading "## Unreleased".');
  if (changelog.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md has a heading for ${version} already.`);
  const rest = changelog.slice(start + UNRELEASED.length);
  const [changes = ''] = rest.split(/^## /m);
  if (changes.trim() === '')
    throw new Error('CHANGELOG.md has nothing under "Unreleased": say what changes for users.');
  return `${changelog.slice(0, start)}${UNRELEASED}\n## ${version} (${day})\n${rest}`;
}

// Not `import.meta.main`: `node.mjs` imports this file.
if (process.argv[1] === import.meta.filename) {
  const isCheck = process.argv.includes('--check');
  const version = isCheck ? 'the next version' : manifest.version;
  try {
    const changelog = nameUnreleased(readFileSync(FILE, 'utf8'), version, new Date().toISOString().slice(0, 10));
    if (!isCheck) writeFileSync(FILE, changelog);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
