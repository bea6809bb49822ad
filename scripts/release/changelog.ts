/** The changelog of a release. */

const UNRELEASED = '## Unreleased\n';

/**
 * Gives what is under "Unreleased" the heading of a version, and leaves "Unreleased" empty above it.
 *
 * @param day of the release, `2026-12-01`.
 * @throws {Error} where nothing is there, or the version has a heading already.
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
