/**
 * Gives the unreleased changes the heading of the version in package.json: `npm run release` runs this before it commits. With `--check`,
 * only checks whether there is something to release.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { nameUnreleased } from './changelog.ts';

const FILE = path.resolve(import.meta.dirname, '../../CHANGELOG.md');
const isCheck = process.argv.includes('--check');
const version = isCheck ? 'the next version' : manifest.version;

try {
  const named = nameUnreleased(readFileSync(FILE, 'utf8'), version, new Date().toISOString().slice(0, 10));
  if (!isCheck) writeFileSync(FILE, named);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
