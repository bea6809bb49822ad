import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { nameUnreleased } from '../../scripts/release.ts';

const HEAD = '# Changelog\n\nWhat changes.\n\n';
const OLD = '## 0.1.0 (2026-01-01)\n\n- The first.\n';

test('unreleased changes get the heading of the version, with an empty section above for later changes', () => {
  const before = `${HEAD}## Unreleased\n\n- A new thing.\n\n${OLD}`;
  const after = `${HEAD}## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- A new thing.\n\n${OLD}`;
  expect(nameUnreleased(before, '0.2.0', '2026-12-01')).toBe(after);
  expect(nameUnreleased(`${HEAD}## Unreleased\n\n- The first.\n`, '0.1.0', '2026-01-01')).toBe(
    `${HEAD}## Unreleased\n\n${OLD}`,
  );
});

test.each([
  ['nothing is under "Unreleased"', `${HEAD}## Unreleased\n\n${OLD}`, 'has nothing under "Unreleased"'],
  [
    'the version is already released',
    `${HEAD}## Unreleased\n\n- New.\n\n## 0.2.0 (2026-11-01)\n`,
    'has a heading for 0.2.0',
  ],
  ['the heading is missing', `${HEAD}${OLD}`, 'has no heading "## Unreleased"'],
])('a release is refused if %s', (_, changelog, message) => {
  expect(() => nameUnreleased(changelog, '0.2.0', '2026-12-01')).toThrow(message);
});

test('npm run release names the changes of the version in package.json, and refuses to do it twice', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'utg-release-'));
  const root = path.resolve(import.meta.dirname, '../..');
  for (const file of ['package.json', 'scripts/node.mjs', 'scripts/release.ts'])
    await cp(path.join(root, file), path.join(folder, file));
  await writeFile(path.join(folder, 'CHANGELOG.md'), `${HEAD}## Unreleased\n\n- New.\n`);
  const release = (...options: string[]) =>
    promisify(execFile)(process.execPath, ['scripts/node.mjs', 'scripts/release.ts', ...options], { cwd: folder });
  await release('--check');
  await release();
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  expect(await readFile(path.join(folder, 'CHANGELOG.md'), 'utf8')).toContain(`## Unreleased\n\n## ${version} (`);
  await expect(release('--check')).rejects.toMatchObject({ stderr: expect.stringContaining('nothing under') });
  await rm(folder, { recursive: true });
});
