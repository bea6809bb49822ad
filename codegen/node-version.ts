/** The oldest version of Node that runs this project, checked in case npm did not install its own. */

const OLDEST = [22, 19] as const;

/**
 * A message with a fix if Node is too old, else null.
 *
 * @param version `process.versions.node`, such as `26.10.0`.
 */
export function toNodeVersionProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return (
    `Node ${version} is too old: ${OLDEST.join('.')} or newer is needed. ` +
    'Run `npm run codegen` instead: npm uses the Node that `npm ci` installed.'
  );
}
