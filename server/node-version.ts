/** Says whether this Node can run the gateway. */

const MIN_MAJOR = 22;
const MIN_MINOR = 19;

/** @returns what to do about a Node that is too old, or null. */
export function describeOldNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR)) return null;
  return (
    `This is Node ${version}; the gateway needs ${MIN_MAJOR}.${MIN_MINOR} or later. ` +
    'Run it through npm ("npm start"), which uses the Node that "npm ci" installed.'
  );
}
