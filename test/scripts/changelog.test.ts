import { expect, test } from 'vitest';
import { nameUnreleased } from '../../scripts/release/changelog.ts';

const HEAD = '# Changelog\n\nWhat changes.\n\n';
const OLD = '## 0.1.0 (2026-01-01)\n\n- The first.\n';

test('what is unreleased gets the heading of the version, and the next changes their place above it', () => {
  const before = `${HEAD}## Unreleased\n\n- A new thing.\n\n${OLD}`;
  const after = `${HEAD}## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- A new thing.\n\n${OLD}`;
  expect(nameUnreleased(before, '0.2.0', '2026-12-01')).toBe(after);
  expect(nameUnreleased(`${HEAD}## Unreleased\n\n- The first.\n`, '0.1.0', '2026-01-01')).toBe(
    `${HEAD}## Unreleased\n\n${OLD}`,
  );
});

test.each([
  ['nothing stands under "Unreleased"', `${HEAD}## Unreleased\n\n${OLD}`, 'has nothing under "Unreleased"'],
  ['the version was released', `${HEAD}## Unreleased\n\n- New.\n\n## 0.2.0 (2026-11-01)\n`, 'has a heading for 0.2.0'],
  ['the heading is missing', `${HEAD}${OLD}`, 'has no heading "## Unreleased"'],
])('it is refused where %s', (_, changelog, message) => {
  expect(() => nameUnreleased(changelog, '0.2.0', '2026-12-01')).toThrow(message);
});
