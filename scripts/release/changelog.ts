/** Edits the changelog for a release. */

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
