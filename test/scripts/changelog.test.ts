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
